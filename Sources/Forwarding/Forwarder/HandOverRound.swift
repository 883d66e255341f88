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

    private let session: EngineSession
    private let calls: ObservedSession
    private let options: ForwarderOptions
    private let observer: ForwarderObserver
    private let store: Store
    private let registry: SharedRegistry
    private let erasures: SharedErasures
    private let units: SpoolReadAhead
    private let sums: SpoolCountReader
    private let counting: Connection
    private let mark: SpoolMark
    private let sign: LifeSign
    private let watch: ServerWatch
    private var pulse: EnginePulse?
    private var waiting: SpoolBacklog
    private var unitNumber: UInt64
    /// The last unit was not taken.
    private var isRetry = false
    /// When a unit was read last, by the node's clock.
    private var lastUnit: Int64 = 0
    /// All that was answered before is handed over, by the node's clock; 0: nothing is known.
    private var completeTo: Int64 = 0

    private var shards: Int { session.servers.access.shards.count }

    init(
        _ store: Store, _ session: EngineSession, _ options: ForwarderOptions,
        _ observer: ForwarderObserver, _ resets: MarkResets
    ) throws(ForwardingError) {
        (self.store, self.session) = (store, session)
        (self.options, self.observer) = (options, observer)
        calls = ObservedSession(session: session, observer: observer)
        registry = SharedRegistry(
            store.registry, session, node: options.node, now: options.now)
        erasures = SharedErasures(store, session, node: options.node)
        sign = LifeSign(store, calls, options, observer)
        let aliveMark: String
        (units, sums, counting, mark, aliveMark) = try ForwardingError.storing {
            () throws(StorageError) in
            let counting = try store.reader(cacheBytes: 1 << 20)
            let mark = try SpoolMark(store, resets, counting)
            try mark.begin()
            let sums = try SpoolCountReader(counting, node: options.node)
            let units = try SpoolReadAhead(
                SpoolReader(store.reader(), node: options.node), options.unitLimit)
            return (units, sums, counting, mark, try AliveTable.mark(of: options.node, store))
        }
        watch = ServerWatch(session, calls, options, mark: aliveMark, counting)
        waiting = SpoolBacklog(after: mark.batch)
        unitNumber = UInt64(clamping: options.now())
    }

    deinit { units.forget() }

    /// Nobody has taken marks back since it began.
    var isCurrent: Bool { mark.isCurrent }

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
        try watch.look(at: servers, mark) {
            (loss, server) throws(ForwardingError) in try settle(loss, of: server)
        }
        let uptime = DispatchTime.now().uptimeNanoseconds
        let now = options.now()
        var progress = Progress()
        var isLast = true
        try update(&progress)
        let isDue =
            isUrged || now - lastUnit >= options.interval || now < lastUnit
            || waiting.batches >= options.unitLimit.batches
            || waiting.bytes >= options.unitLimit.bytes
        if waiting.batches > 0 {
            isLast = isDue ? try handOverUnit(to: servers, now: now, &progress) : false
        }
        let areSumsDone = try handOverSums(to: servers)
        try update(&progress)
        completeTo = min(completeTo, now)
        if areSumsDone { completeTo = isLast ? now : min(now, waiting.oldest ?? now) }
        if completeTo > 0 { progress.handedTo = completeTo }
        progress.handedToUptime = isLast && areSumsDone ? uptime : nil
        progress.clockOffset = sign.clock.offset
        // What waits seems to have come later than now: the clock was set back, and nobody knows when it came.
        let isClear = isLast || waiting.oldest ?? now <= now
        try sign.give(
            completeTo: isClear ? completeTo : 0, hasHandedOver: progress.units > 0, now: now)
        try ForwardingError.storing { () throws(StorageError) in try mark.write(isIdle: isLast) }
        report(progress)
        return (isDue && !isLast) || !areSumsDone
    }

    /// Counts what waits.
    func count(_ report: (Progress) -> Void) throws(ForwardingError) {
        var progress = Progress()
        try update(&progress)
        progress.clockOffset = sign.clock.offset
        report(progress)
    }

    private func update(_ progress: inout Progress) throws(ForwardingError) {
        try ForwardingError.storing { () throws(StorageError) in try waiting.update(counting) }
        progress.waitingBatches = waiting.batches
        progress.waitingBytes = waiting.bytes
    }

    /// Asks what has changed in the engine.
    private func look() throws(ForwardingError) {
        let sent = options.time()
        let pulse = try EnginePulse(
            calls.send(.read(EnginePulse.statement(options.node)), toShard: 0))
        try sign.learn(pulse, sent: sent)
        if pulse.registry != self.pulse?.registry {
            units.forget()
            let taken = try registry.pull()
            if taken.count > 0 { observer.learned(taken.count) }
            for (row, reason) in taken.refused { observer.passedOver(row, reason) }
            try prune()
        }
        if pulse.erasures != self.pulse?.erasures {
            units.forget()
            try erasures.catchUp { (moment) throws(ForwardingError) in
                try fallBack(after: moment)
            }
        }
        self.pulse = pulse
    }

    /// Prunes the spool as far as all nodes' is to be, after the engine.
    private func prune() throws(ForwardingError) {
        let limits = SharedPruneLimit(session, node: options.node)
        guard let limit = try limits.last() else { return }
        observer.limited(limit.floor)
        let pruned = try SpoolPrune(store, session).run(limit) {
            (moment) throws(ForwardingError) in try fallBack(after: moment)
        }
        if let pruned { observer.pruned(pruned) }
    }

    /// A server is not the one that it was.
    private func settle(
        _ loss: ServerWatch.Loss, of server: ServerAddress
    ) throws(ForwardingError) {
        switch loss {
        case .nothing: try retract(to: 0)
        case .since(let moment):
            observer.again(server.origin, moment)
            try fallBack(after: moment)
            try retract(to: moment)
        case .everything:
            observer.again(server.origin, nil)
            try fallBack(after: -1)
            try retract(to: nil)
        }
    }

    /// Takes back that the node is further than a moment: reports believe it again once its name is in `alive`.
    /// - Parameter moment: nil: as far as nothing waits
    private func retract(to moment: Int64?) throws(ForwardingError) {
        try ForwardingError.storing { () throws(StorageError) in try waiting.update(counting) }
        completeTo = max(0, [moment, waiting.oldest].compactMap(\.self).min() ?? completeTo)
        try sign.retract(to: completeTo, now: options.now())
    }

    /// What was handed over after a moment counts as not handed over.
    private func fallBack(after moment: Int64) throws(ForwardingError) {
        let before = mark.batch
        try ForwardingError.storing { () throws(StorageError) in try mark.fallBack(after: moment) }
        if mark.batch != before { waiting = SpoolBacklog(after: mark.batch) }
    }

    /// - Returns: whether nothing was left when the unit was read
    private func handOverUnit(
        to servers: [ServerAddress], now: Int64, _ progress: inout Progress
    ) throws(ForwardingError) -> Bool {
        unitNumber &+= 1
        let unit = try ForwardingError.storing { () throws(StorageError) in
            let limit = try counting.prunedDay() * 86_400_000
            var request = SpoolReadAhead.Request(
                batch: mark.batch, number: unitNumber, shards: shards, prunedTo: limit)
            let unit = try units.unit(request)
            // One that would not be full when it is asked for would be read twice, as would one after a unit
            // that is not taken.
            if let unit, !isRetry, unit.isFull, waiting.batches >= 2 * Int64(unit.batches) {
                request.batch = unit.lastBatch
                request.number &+= 1
                units.begin(request)
            }
            return unit
        }
        lastUnit = now
        guard let unit else { return true }
        isRetry = true
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
        _ = try calls.perform(arrivals)
        _ = try calls.perform(batches)
        isRetry = false
        mark.move(to: unit.lastBatch, at: options.now())
        waiting.handedOver(
            to: unit.lastBatch, batches: Int64(unit.batches), bytes: unit.bodyBytes)
        progress.units += 1
        progress.batches += UInt64(unit.batches)
        return !unit.isFull
    }

    /// - Returns: whether all sums that had changed are handed over
    private func handOverSums(to servers: [ServerAddress]) throws(ForwardingError) -> Bool {
        let counts = try ForwardingError.storing { () throws(StorageError) in
            try sums.counts(upTo: mark.batch, shards: shards)
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
        _ = try calls.perform(orders)
        let now = options.now()
        try ForwardingError.storing { () throws(StorageError) in
            try mark.note(counts, at: now)
        }
        return counts.repeatKeys.count < SpoolCountReader.limit
            && counts.refusalKeys.count < SpoolCountReader.limit
    }
}
