import Columns
import Database
import Events

/// Collects the events that are stored and makes segments of them, in the writer's transactions: so
/// that a report sees each event once, in a segment or as a row after the last one. Small ones are merged later.
package final class Segmenter {
    /// Events of an app that make a segment, or one for each of their days.
    private let limit: Int
    private let connection: Connection
    private let table: SegmentTable
    private let merge: SegmentMerge
    private let removals: Statement
    private var pending: [Int64: SegmentBuilder] = [:]
    /// The app whose events were packed last: it alone keeps its buffers, some megabytes, for those to
    /// come, since there may be many apps.
    private var latest: Int64?
    private var known: [Int64: SegmentName] = [:]
    private var names: [SegmentName] = []
    /// Of all apps.
    private var count = 0
    /// Apps whose pending events are in segments once the transaction is committed.
    private var written: [Int64] = []
    /// The last batch of each app whose events are in segments, or will be with the transaction.
    private var lasts: [Int64: Int64] = [:]
    /// The newest batch of all apps; where rows are still read, up to which they have been.
    private var newest: Int64 = 0
    /// Rows are still read: what is stored meanwhile is read with them.
    private var isReading = false
    /// Days of which something was packed. Where that is rolled back, they are looked at in vain.
    private var dueMerges = DueMerges()
    /// Those that the transaction at hand has looked at.
    private var mergedDays: [DueMerges.Day] = []
    /// The fact `tail_removals` as it was when the pending events were read; nil: they are not read.
    private var seen: Int64?

    /// Thousands of apps without an event get there at once: the rest follow with the next transactions.
    private static let appsMovedAtOnce = 256
    /// Many apps with few events each would otherwise hold much together.
    private static let limitsOfAllApps = 4

    /// For how many apps it has memory: for those with events that no segment has, and one more at most.
    var holders: Int { pending.count }

    /// One that has read nothing yet.
    package init(_ connection: Connection, limit: Int) throws(StorageError) {
        self.connection = connection
        self.limit = limit
        table = try SegmentTable(connection)
        merge = try SegmentMerge(connection)
        removals = try connection.prepare(
            "SELECT value FROM meta WHERE name = '\(SegmentTable.tailRemovals)'")
    }

    /// Before the first batch of a transaction: reads the events that are in no segment yet, unless they are in memory.
    /// What it has no time for it reads before the next transactions.
    /// - Parameter slice: for how long it reads, about, in nanoseconds; nil: until all is read
    package func begin(slice: UInt64? = nil) throws(StorageError) {
        let now = try self.now()
        if seen != now {
            let isRemoval = seen != nil
            try beginReading()
            seen = now
            // More may be removed before the next one, and what was read would be in vain.
            if isRemoval, slice != nil { return }
        }
        guard isReading else { return }
        let deadline = slice.map { Deadline.after($0) } ?? Deadline.never
        var rows = try SegmentRows(connection)
        let read = try rows.read(after: lasts, from: newest, until: deadline, into: &pending) {
            (app, builder) throws(StorageError) in
            guard isFull(builder), let last = builder.lastBatch else { return }
            try write(builder, of: app, upTo: last)
            builder.removeAll()
        }
        newest = read.newest
        if read.isMore { return }
        isReading = false
        pending = pending.filter { $0.value.count > 0 }
        count = pending.values.reduce(0) { $0 + $1.count }
    }

    /// Finds where reading has to begin: an app without events after its last segment, as a new one, is no reason to go
    /// through all batches.
    private func beginReading() throws(StorageError) {
        forget()
        var first: Int64?
        // In one statement, since there may be thousands of apps.
        let apps = try connection.prepare(
            """
            SELECT a.id, coalesce(s.last_batch, 0), (
                SELECT b.id FROM batch AS b INDEXED BY batch_by_app
                WHERE b.app = a.id AND b.id > coalesce(s.last_batch, 0) ORDER BY b.id LIMIT 1)
            FROM app AS a LEFT JOIN segmented AS s ON s.app = a.id
            """)
        while try apps.step() {
            lasts[apps.int(0)] = apps.int(1)
            if let next = apps.optionalInt(2) { first = min(first ?? next, next) }
        }
        guard let first else { return }
        newest = first - 1
        isReading = true
    }

    /// A batch that was just stored.
    /// - Parameter names: rows of its names, by index
    func add(
        _ batch: borrowing AcceptedBatch, number: Int64, device: Int64, resource: Int64,
        names: [Int64]
    ) {
        if isReading { return }
        count += batch.events.count
        newest = number
        if batch.events.isEmpty { return }
        self.names.removeAll(keepingCapacity: true)
        for (row, text) in zip(names, batch.names) { self.names.append(name(row, text)) }
        pending[batch.app, default: SegmentBuilder()].add(
            batch, number: number, device: device, resource: resource, names: self.names)
    }

    private func name(_ row: Int64, _ text: String) -> SegmentName {
        if let name = known[row] { return name }
        let name = SegmentName(row: row, text: text)
        if known.count == WordTable.capacity { known.removeAll() }
        known[row] = name
        return name
    }

    /// Before the end of a transaction.
    func finish() throws(StorageError) {
        if isReading { return }
        try writeFull()
        try moveOn()
        guard written.isEmpty, count >= Self.limitsOfAllApps * limit else { return }
        if let app = pending.max(by: { $0.value.count < $1.value.count })?.key { try write(app) }
    }

    /// Packs what is full of one app, the one with the most: of others with the next transactions, so that a group waits
    /// for one of them at most.
    private func writeFull() throws(StorageError) {
        var fullest: (app: Int64, count: Int)?
        for (app, builder) in pending where isFull(builder) {
            let count = builder.count
            if count > fullest?.count ?? -1 { fullest = (app, count) }
        }
        if let fullest { try write(fullest.app) }
    }

    private func isFull(_ builder: borrowing SegmentBuilder) -> Bool {
        builder.count >= limit || builder.isHeavy
    }

    /// The events after an app's last segment are searched among the batches of all apps. So that point
    /// is never far back, however few events it has: as many batches as the segments of a busy app have
    /// events, and no more of an app that has none at all. Of one app a transaction, where there is
    /// something to pack.
    private func moveOn() throws(StorageError) {
        var left = Self.appsMovedAtOnce
        for (app, last) in lasts where newest &- last > Int64(limit) {
            guard pending[app]?.count ?? 0 == 0 || written.isEmpty else { continue }
            try write(app)
            left -= 1
            if left == 0 { return }
        }
    }

    /// The transaction is committed.
    func committed() {
        for app in written {
            count -= pending[app]?.count ?? 0
            pending[app]?.removeAll()
            if let latest, latest != app, pending[latest]?.count == 0 { pending[latest] = nil }
            latest = app
        }
        written = []
    }

    /// Whether segments may have to be merged.
    var hasDueMerges: Bool { !dueMerges.isEmpty }

    /// Merges segments of one day after another, until a deadline; of one at least. Within a transaction of its own:
    /// a group would wait for all days of which it packs events.
    /// - Parameter deadline: uptime in nanoseconds
    func mergeSome(until deadline: UInt64) throws(StorageError) {
        var names = try SegmentRows(connection)
        while let due = dueMerges.takeFirst() {
            // What fails is not tried again before something of it is packed.
            if try merge.run(of: due.app, day: due.day, into: table, &names) { dueMerges.add(due) }
            mergedDays.append(due)
            if Deadline.hasPassed(deadline) { return }
        }
    }

    /// That transaction is over.
    /// - Parameter isCommitted: else all of its days are due again
    func endMerges(isCommitted: Bool) {
        if !isCommitted { for day in mergedDays { dueMerges.add(day) } }
        mergedDays = []
    }

    /// After a rollback, or when others have changed the rows.
    func forget() {
        pending = [:]
        latest = nil
        known = [:]
        written = []
        lasts = [:]
        newest = 0
        count = 0
        isReading = false
        seen = nil
    }

    /// When rows of names were deleted; what is pending refers to none of them.
    func forgetNames() { known = [:] }

    /// All that is pending of an app, which may be nothing.
    private func write(_ app: Int64) throws(StorageError) {
        if let builder = pending[app] {
            // Without events it is no work.
            if builder.count > 0 { written.append(app) }
            try write(builder, of: app, upTo: newest)
        } else {
            try table.setLastBatch(newest, of: app)
            lasts[app] = newest
        }
    }

    private func write(
        _ builder: borrowing SegmentBuilder, of app: Int64, upTo last: Int64
    ) throws(StorageError) {
        let segments = builder.build()
        try table.insert(segments, of: app)
        try table.setLastBatch(last, of: app)
        lasts[app] = last
        for segment in segments where segment.events < SegmentMerge.small {
            dueMerges.add(DueMerges.Day(app: app, day: segment.day))
        }
    }

    private func now() throws(StorageError) -> Int64 {
        defer { removals.reset() }
        return try removals.step() ? removals.int(0) : 0
    }
}

extension SegmentBuilder {
    /// A batch that was just stored.
    /// - Parameters:
    ///   - number: its row
    ///   - names: of its names, by index
    mutating func add(
        _ batch: borrowing AcceptedBatch, number: Int64, device: Int64, resource: Int64,
        names: [SegmentName]
    ) {
        begin(batch: number, device: device, resource: resource, arrival: batch.receivedAt)
        let sessions = Self.hashes(of: batch.sessionsJSON ?? [])
        var subjectKeys = SubjectKeys()
        for (index, text) in batch.attributeKeys.enumerated() {
            if let key = StandardAttribute.allCases.first(where: { $0.key == text }) {
                subjectKeys.set(key, index)
            }
        }
        let numbers = names.map { index(of: $0) }
        for event in batch.events {
            let name = names[Int(event.name)]
            let range = Int(event.attributes.lowerBound)..<Int(event.attributes.upperBound)
            let text = batch.text.span.extracting(range)
            var found = SubjectKeys.Found()
            if name.key != nil { found = subjectKeys.find(name, in: text) }
            let subject = text.extracting(found.subject ?? 0..<0)
            add(
                numbers[Int(event.name)], time: event.time,
                session: event.session < 0 ? nil : sessions[Int(event.session)],
                subject: subject.isEmpty ? nil : subject, amount: found.amount)
        }
    }

    /// Hashes of the elements of `batch.sessions`, by index.
    static func hashes(of sessions: [UInt8]) -> [UInt64] {
        if sessions.isEmpty { return [] }
        let ranges = ArrayElements.ranges(in: sessions.span, .bracketed) ?? []
        return ranges.map { ChecksumStream.hash(sessions.span.extracting($0)) }
    }
}
