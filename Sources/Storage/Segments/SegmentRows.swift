import Columns
import Database
import Events

/// Reads rows of events into segments.
package struct SegmentRows: ~Copyable {
    private let connection: Connection
    private let events: Statement
    private let name: Statement
    private var names: [Int64: SegmentName] = [:]
    private var keys: [Int64: StandardAttribute] = [:]

    package init(_ connection: Connection) throws(StorageError) {
        let events = try connection.prepare(
            """
            SELECT name, late, session, attributes FROM event
            WHERE \(EventID.isSQL("id", ofBatch: "?1"))
            """)
        let name = try connection.prepare("SELECT text FROM name WHERE id = ?")
        let key = try connection.prepare("SELECT id FROM attribute_key WHERE text = ?")
        for attribute in StandardAttribute.allCases {
            try key.bind(1, attribute.key)
            if try key.step() { keys[key.int(0)] = attribute }
            key.reset()
        }
        // All or none: a value that cannot be copied is never half there.
        self.connection = connection
        self.events = events
        self.name = name
    }

    private static let columns = "id, device, resource, received_at, sessions, attribute_keys"

    /// Events of all apps' batches, of each app those after one of its own.
    /// - Parameters:
    ///   - lasts: the batch after which to begin, by app
    ///   - reached: those up to here have been read
    ///   - deadline: uptime in nanoseconds; one batch is read in any case
    ///   - builders: by app
    ///   - added: called with an app when its builder has got a batch; may empty it
    /// - Returns: the newest batch that was read, or `reached`; and whether there may be more
    mutating func read(
        after lasts: [Int64: Int64], from reached: Int64, until deadline: UInt64,
        into builders: inout [Int64: SegmentBuilder],
        added: (_ app: Int64, _ builder: inout SegmentBuilder) throws(StorageError) -> Void
    ) throws(StorageError) -> (newest: Int64, isMore: Bool) {
        let batches = try connection.prepare(
            "SELECT \(Self.columns), app FROM batch WHERE id > ?1 ORDER BY id")
        try batches.bind(1, reached)
        var newest = reached
        while try batches.step() {
            newest = batches.int(0)
            let app = batches.int(6)
            // Batches of an app that is missing in `lasts` are skipped, and never read: whoever adds an app makes the
            // writer forget, so that all are read again.
            if let last = lasts[app], newest > last {
                try add(batches, to: &builders[app, default: SegmentBuilder()])
                try added(app, &builders[app, default: SegmentBuilder()])
            }
            if Deadline.hasPassed(deadline) { return (newest, true) }
        }
        return (newest, false)
    }

    /// Events of an app's batches after one and up to another.
    /// - Parameter maxCount: stops after so many, but always reads a batch whole
    /// - Returns: whether there may be more
    package mutating func read(
        of app: Int64, after batch: Int64, upTo last: Int64 = .max, maxCount: Int = .max,
        into builder: inout SegmentBuilder
    ) throws(StorageError) -> Bool {
        let batches = try connection.prepare(
            "SELECT \(Self.columns) FROM batch INDEXED BY batch_by_app "
                + "WHERE app = ?1 AND id > ?2 AND id <= ?3 ORDER BY id")
        try batches.bind(1, app)
        try batches.bind(2, batch)
        try batches.bind(3, last)
        while try batches.step() {
            try add(batches, to: &builder)
            if builder.count >= maxCount { return true }
        }
        return false
    }

    /// Events of some days of an app's batches that come next.
    /// - Parameter maxCount: stops after so many, or so many of one day as a segment has, but always reads a batch whole
    /// - Returns: whether there may be more
    mutating func read(
        _ batches: inout DayBatches, maxCount: Int, into builder: inout SegmentBuilder
    ) throws(StorageError) -> Bool {
        let row = try connection.prepare("SELECT \(Self.columns) FROM batch WHERE id = ?1")
        var counts = DayCounts(batches.days)
        while let batch = try batches.next(connection) {
            try row.bind(1, batch)
            // It may have been deleted since it was found.
            if try row.step() { try add(row, on: &counts, to: &builder) }
            row.reset()
            if builder.count >= maxCount || counts.greatest >= Segment.maxEvents || builder.isHeavy
            {
                return true
            }
        }
        return false
    }

    private mutating func add(
        _ batch: borrowing Statement, to builder: inout SegmentBuilder
    ) throws(StorageError) {
        var all = DayCounts(nil)
        try add(batch, on: &all, to: &builder)
    }

    /// - Parameter days: which are read, and counts of their events
    private mutating func add(
        _ batch: borrowing Statement, on days: inout DayCounts, to builder: inout SegmentBuilder
    ) throws(StorageError) {
        let arrival = batch.int(3)
        builder.begin(
            batch: batch.int(0), device: batch.int(1), resource: batch.int(2), arrival: arrival)
        let sessions = SegmentBuilder.hashes(of: batch.blob(4))
        var subjectKeys = SubjectKeys()
        let codes = batch.withText(5) { CodeList.parse($0) } ?? []
        for (index, code) in codes.enumerated() {
            if let key = keys[code] { subjectKeys.set(key, index) }
        }
        try events.bind(1, batch.int(0))
        defer { events.reset() }
        while try events.step() {
            let time = arrival &- events.int(1)
            guard days.take(time) else { continue }
            let name = try self.name(events.int(0))
            var found = SubjectKeys.Found()
            var text: [UInt8] = []
            if name.key != nil {
                text = events.blob(3)
                found = subjectKeys.find(name, in: text.span)
            }
            let session = events.optionalInt(2).flatMap { Int(exactly: $0) }
            let range = found.subject ?? 0..<0
            let subject = text.span.extracting(range)
            builder.add(
                builder.index(of: name), time: time,
                session: session.flatMap { sessions.indices.contains($0) ? sessions[$0] : nil },
                subject: range.isEmpty ? nil : subject, amount: found.amount)
        }
    }

    /// A name as segments have it.
    package mutating func name(_ row: Int64) throws(StorageError) -> SegmentName {
        if let known = names[row] { return known }
        try name.bind(1, row)
        defer { name.reset() }
        let found = SegmentName(row: row, text: try name.step() ? name.text(0) : "")
        if names.count == WordTable.capacity { names.removeAll() }
        names[row] = found
        return found
    }
}

/// Some days, and how many events were taken of each.
struct DayCounts {
    /// By day since 1970-01-01, UTC; nil: all days, which are not counted.
    private var counts: [Int64: Int]?
    /// Of the day with the most.
    private(set) var greatest = 0

    /// - Parameter days: nil: all
    init(_ days: [Int64]?) {
        counts = days.map { Dictionary($0.map { ($0, 0) }, uniquingKeysWith: max) }
    }

    /// Whether an event at a time, in milliseconds since 1970, is of these days; then it is counted.
    mutating func take(_ time: Int64) -> Bool {
        if counts == nil { return true }
        let day = Segment.day(of: time)
        guard let index = counts?.index(forKey: day) else { return false }
        counts?.values[index] += 1
        greatest = max(greatest, counts?.values[index] ?? 0)
        return true
    }
}
