import Curl
import Database
import Dispatch
import Engine
import Storage
import Upkeep

/// What a forwarder does again and again: looks whether the engine is the one that it was, takes over what
/// other nodes have changed, hands over a unit and sums that have changed, and says how far it is. Used by
/// the forwarder's thread alone.
final class HandOverRound {
    /// What has come of a round.
    struct Progress {
        /// What was handed over just now.
        var units: UInt64 = 0
        var batches: UInt64 = 0
        /// What waits.
        var waitingBatches: Int64 = 0
        var waitingBytes: Int64 = 0
        /// All that was answered before is handed over, by the node's clock; nil: as before.
        var handedTo: Int64?
        /// The same by `uptimeNanoseconds`; nil where something waits still.
        var handedToUptime: UInt64?
        /// Milliseconds; nil while it is not known.
        var clockOffset: Int64?
    }

    private let store: Store
    private let session: EngineSession
    private let options: ForwarderOptions
    private let observer: ForwarderObserver
    private let registry: SharedRegistry
    private let erasures: SharedErasures
    private let spool: SpoolReader
    private let counting: Connection
    private var clock = EngineClock()
    private var watch = AliveWatch()
    private var pulse: EnginePulse?
    private var twin = NodeTwin()
    private var lastTwin: Int64 = 0
    /// The row of the last batch that is handed over, and when that was.
    private var mark: Int64
    private var lastHandOver: Int64?
    /// Of that it is written down up to there.
    private var written: Int64
    private var lastMark: Int64 = 0
    /// When a unit was handed over last, and when a sign of life was given, by the node's clock.
    private var lastUnit: Int64 = 0
    private var lastSign: Int64 = 0
    /// All that was answered before is handed over, by the node's clock; 0: nothing is known.
    private var completeTo: Int64 = 0
    private var unitNumber: UInt64
    private var waiting: SpoolBacklog

    private let resets: MarkResets
    private let generation: Int

    /// Nobody has taken marks back since it began.
    var isCurrent: Bool { resets.count.load(ordering: .relaxed) == generation }

    private var shards: Int { session.servers.access.shards.count }

    init(
        _ store: Store, _ session: EngineSession, _ options: ForwarderOptions,
        _ observer: ForwarderObserver, _ resets: MarkResets
    ) throws(ForwardingError) {
        self.resets = resets
        generation = resets.count.load(ordering: .relaxed)
        self.store = store
        self.session = session
        self.options = options
        self.observer = observer
        registry = SharedRegistry(
            store.registry, session, node: options.node, now: options.now)
        erasures = SharedErasures(store, session, node: options.node)
        (spool, counting, mark, lastHandOver) = try ForwardingError.storing {
            () throws(StorageError) in
            let counting = try store.reader(cacheBytes: 1 << 20)
            return (
                try SpoolReader(store.reader(), node: options.node), counting,
                try HandOverMarks.last(counting), try HandOverMarks.lastMoment(counting)
            )
        }
        written = mark
        waiting = SpoolBacklog(after: mark)
        unitNumber = UInt64(clamping: options.now())
        if lastHandOver == nil { try noteAll() }
    }

    /// Before anything was ever handed over, all sums count as changed.
    private func noteAll() throws(ForwardingError) {
        try ForwardingError.storing { () throws(StorageError) in
            try store.writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
                try HandOverMarks.forget(arrivedFrom: nil, connection)
            }
        }
    }

    /// - Parameters:
    ///   - isUrged: somebody waits for what is there
    ///   - report: told what has come of it
    /// - Returns: whether there is more to hand over at once
    func run(
        isUrged: Bool, _ report: (Progress) -> Void
    ) throws(ForwardingError) -> Bool {
        try look()
        let servers = try ForwardingError.asking { () throws(EngineError) in
            try session.currentServers()
        }
        try watchOver(servers)
        let uptime = DispatchTime.now().uptimeNanoseconds
        let now = options.now()
        var progress = Progress()
        var isLast = true
        try update(&progress)
        let isDue =
            isUrged || now - lastUnit >= options.interval || now < lastUnit
            || waiting.batches >= SpoolUnit.Limit().batches
        if waiting.batches > 0 {
            isLast = isDue ? try handOverUnit(to: servers, now: now, &progress) : false
        }
        let sums = try handOverSums(to: servers)
        try update(&progress)
        if sums { completeTo = isLast ? now : min(now, waiting.oldest ?? now) }
        progress.handedTo = completeTo
        progress.handedToUptime = isLast && sums ? uptime : nil
        progress.clockOffset = clock.offset
        try signal(hasHandedOver: progress.units > 0, now: now)
        try writeMark(isIdle: isLast)
        report(progress)
        return isDue && !isLast
    }

    /// Counts what waits.
    func count(_ report: (Progress) -> Void) throws(ForwardingError) {
        var progress = Progress()
        try update(&progress)
        progress.clockOffset = clock.offset
        report(progress)
    }

    private func update(_ progress: inout Progress) throws(ForwardingError) {
        try ForwardingError.storing { () throws(StorageError) in try waiting.update(counting) }
        progress.waitingBatches = waiting.batches
        progress.waitingBytes = waiting.bytes
    }

    /// Asks what has changed in the engine.
    private func look() throws(ForwardingError) {
        let sent = options.now()
        let answer = try ask(.read(EnginePulse.statement(options.node)), shard: 0)
        let pulse = try EnginePulse(answer)
        clock.learn(seconds: pulse.seconds, sent: sent, received: options.now())
        if twin.isSeen(in: pulse.nodeVersion, isRetired: pulse.isRetired) { try noteTwin() }
        if pulse.registry != self.pulse?.registry {
            let count = try registry.pull()
            if count > 0 { observer.learned(count) }
            try prune()
        }
        if pulse.erasures != self.pulse?.erasures, let moment = try erasures.catchUp() {
            // With what was deleted may have gone what has come since.
            try fallBack(after: moment)
        }
        self.pulse = pulse
    }

    /// Writes down, once a minute, that another node has this one's name.
    private func noteTwin() throws(ForwardingError) {
        let now = options.now()
        guard now - lastTwin >= 60_000 || now < lastTwin else { return }
        observer.twin()
        try ForwardingError.storing { () throws(StorageError) in
            try store.writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
                try connection.transaction { () throws(StorageError) in
                    try connection.setFact(NodeTwin.fact, now)
                }
            }
        }
        lastTwin = now
    }

    /// Prunes the spool as far as all nodes' is to be, after the engine.
    private func prune() throws(ForwardingError) {
        let limits = SharedPruneLimit(session, node: options.node)
        guard let limit = try limits.last() else { return }
        observer.limited(limit.before)
        let pruned = try SpoolPrune(store, session).run(limit) {
            (moment) throws(ForwardingError) in try fallBack(after: moment)
        }
        if let pruned { observer.pruned(pruned) }
    }

    /// Looks whether each server is the one that it was; one that is not gets again what it may have lost.
    private func watchOver(_ servers: [ServerAddress]) throws(ForwardingError) {
        let node = EngineLiteral.text(options.node)
        let looks = servers.enumerated().map { shard, server in
            EngineSession.Order(
                .read("SELECT count() FROM alive WHERE node = \(node)"), to: server, shard: shard)
        }
        for (order, answer) in zip(looks, try perform(looks)) {
            let count = try ForwardingError.reading(answer) {
                (reader) throws(RowBinary.Failure) in try reader.uint64()
            }
            let verdict = watch.look(
                at: order.server.origin, isThere: count > 0, lastHandOver: lastHandOver,
                now: options.now())
            if verdict == .same { continue }
            if case .again(let moment) = verdict {
                observer.again(order.server.origin, moment)
                try fallBack(after: moment)
            }
            var row = RowBinary.Writer()
            row.string(options.node)
            _ = try perform([
                EngineSession.Order(
                    .insert(row.bytes, into: "alive", ["node"]), to: order.server,
                    shard: order.shard)
            ])
        }
    }

    /// What was handed over after a moment counts as not handed over.
    private func fallBack(after moment: Int64) throws(ForwardingError) {
        let before = mark
        try writeMark(isIdle: true)
        mark = try ForwardingError.storing { () throws(StorageError) in
            try store.writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
                let last = try HandOverMarks.forget(after: moment, connection)
                try HandOverMarks.noteSums(from: moment, connection)
                return last
            }
        }
        written = mark
        if mark != before { waiting = SpoolBacklog(after: mark) }
    }

    /// - Returns: whether nothing was left when the unit was read
    private func handOverUnit(
        to servers: [ServerAddress], now: Int64, _ progress: inout Progress
    ) throws(ForwardingError) -> Bool {
        unitNumber &+= 1
        let unit = try ForwardingError.storing { () throws(StorageError) in
            try spool.unit(
                after: mark, shards: shards, number: unitNumber,
                prunedTo: try counting.prunedDay() * 86_400_000)
        }
        lastUnit = now
        guard let unit else { return true }
        var arrivals: [EngineSession.Order] = []
        var batches: [EngineSession.Order] = []
        for (shard, rows) in unit.shards.enumerated() where rows.batchCount > 0 {
            arrivals.append(
                EngineSession.Order(
                    .insert(rows.arrivals.bytes, into: ArrivalRow.table, ArrivalRow.columns),
                    to: servers[shard], shard: shard))
            batches.append(
                EngineSession.Order(
                    .insert(rows.batches.bytes, into: BatchRow.table, BatchRow.columns),
                    to: servers[shard], shard: shard))
        }
        _ = try perform(arrivals)
        _ = try perform(batches)
        mark = unit.lastBatch
        lastHandOver = options.now()
        waiting.handedOver(
            to: unit.lastBatch, batches: Int64(unit.batches), bytes: unit.bodyBytes)
        progress.units += 1
        progress.batches += UInt64(unit.batches)
        return !unit.isFull
    }

    /// - Returns: whether all sums that had changed are handed over
    private func handOverSums(to servers: [ServerAddress]) throws(ForwardingError) -> Bool {
        let counts = try ForwardingError.storing { () throws(StorageError) in
            try spool.counts(upTo: mark, shards: shards)
        }
        if counts.isEmpty { return true }
        var orders: [EngineSession.Order] = []
        for (shard, rows) in counts.arrivals.enumerated() where rows.count > 0 {
            orders.append(
                EngineSession.Order(
                    .insert(rows.bytes, into: ArrivalRow.table, ArrivalRow.columns),
                    to: servers[shard], shard: shard))
        }
        if counts.refusals.count > 0 {
            orders.append(
                EngineSession.Order(
                    .insert(counts.refusals.bytes, into: RefusalRow.table, RefusalRow.columns),
                    to: servers[0], shard: 0))
        }
        _ = try perform(orders)
        try ForwardingError.storing { () throws(StorageError) in
            try store.writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
                try connection.transaction { () throws(StorageError) in
                    try counts.forget(connection)
                }
            }
        }
        return counts.repeatKeys.count < SpoolReader.countsAtOnce
            && counts.refusalKeys.count < SpoolReader.countsAtOnce
    }

    /// Says how far the node is, after each unit and every now and then.
    private func signal(hasHandedOver: Bool, now: Int64) throws(ForwardingError) {
        guard hasHandedOver || now - lastSign >= ForwarderOptions.beat || now < lastSign else {
            return
        }
        guard completeTo > 0, let moment = clock.surely(completeTo),
            let engineNow = clock.surely(options.now())
        else { return }
        let isRetired = !hasHandedOver && pulse?.isRetired == true
        let version = SharedRegistry.version(at: engineNow, node: options.node)
        twin.wrote(version)
        _ = try ask(
            NodeTable.insert(
                options.node, completeTo: moment, isRetired: isRetired, version: version),
            shard: NodeTable.shard)
        lastSign = now
    }

    /// Writes down how far the spool is handed over: once a second, and when there is time.
    private func writeMark(isIdle: Bool) throws(ForwardingError) {
        guard mark > written, let lastHandOver else { return }
        guard isIdle || lastHandOver - lastMark >= 1000 || lastHandOver < lastMark else { return }
        let (mark, resets, generation) = (mark, resets, generation)
        try ForwardingError.storing { () throws(StorageError) in
            try store.writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
                guard resets.count.load(ordering: .relaxed) == generation else { return }
                try HandOverMarks.note(mark, at: lastHandOver, connection)
            }
        }
        written = mark
        lastMark = lastHandOver
    }

    private func ask(_ request: EngineRequest, shard: Int) throws(ForwardingError) -> [UInt8] {
        try timed { () throws(EngineError) in try session.send(request, toShard: shard) }
    }

    private func perform(
        _ orders: [EngineSession.Order]
    ) throws(ForwardingError) -> [[UInt8]] {
        if orders.isEmpty { return [] }
        return try timed { () throws(EngineError) in try session.perform(orders) }
    }

    private func timed<T>(
        _ work: () throws(EngineError) -> T
    ) throws(ForwardingError) -> T {
        let begin = DispatchTime.now().uptimeNanoseconds
        defer { observer.requested(DispatchTime.now().uptimeNanoseconds &- begin) }
        return try ForwardingError.asking(work)
    }
}
