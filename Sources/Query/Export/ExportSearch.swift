import Database
import Events
import JSON
import Storage

/// Finds the first events of some batches in a stretch of time, in the order of an export, a
/// bounded number of them, after a line:
///
///     var search = try ExportSearch(batches, window, after: line, reading)
///     try search.run(reading)
struct ExportSearch: ~Copyable {
    /// The most events that one search finds; also the most batches that it covers.
    static let maxEvents = 32_768

    /// An event and its sort key.
    private struct Found {
        let time: Int64
        /// The rank of its `batch_id` among those of the batches, then its index.
        let order: Int64
        /// The index of its batch, which decides between devices that gave the same id.
        let batch: Int
        let row: Int64

        static func precedes(_ a: Found, _ b: Found) -> Bool {
            if a.time != b.time { return a.time < b.time }
            return a.order != b.order ? a.order < b.order : a.batch < b.batch
        }
    }

    private let batches: Statement
    private let events: Statement
    private let window: Range<Int64>
    private let after: ExportPosition?
    private var found: [Found] = []
    /// The last event within the limit, once there are more; later ones are ignored.
    private var last: Found?

    /// - Parameters:
    ///   - batches: rows of the batches, each once
    ///   - window: milliseconds since 1970-01-01T00:00:00Z
    ///   - after: the line after which the events come
    init(
        _ batches: [Int64], _ window: Range<Int64>, after: ExportPosition?, _ reading: Reading
    ) throws(StorageError) {
        var rows = JSON.Writer()
        rows.beginArray()
        for batch in batches { rows.integer(batch) }
        rows.endArray()
        // The order of events of the same time and index.
        let select = try reading.prepare(
            """
            SELECT b.id, b.received_at, b.batch_id, d.hash
            FROM json_each(?1) AS j CROSS JOIN batch AS b CROSS JOIN device AS d
            WHERE b.id = j.value AND d.id = b.device
            ORDER BY b.batch_id, d.hash
            """)
        try select.bindText(1, rows.take())
        let events = try reading.prepare(
            "SELECT id, late FROM event WHERE id >= ?1 AND id <= ?2 AND late > ?3 AND late <= ?4")
        // All or none: a value that cannot be copied is never half there.
        self.batches = select
        self.events = events
        self.window = window
        self.after = after
    }

    /// Runs the search. Throws what the database throws, and if the report has to end.
    /// - Returns: rows of events in order, at most `maxEvents`; and the position of the last one if
    ///   there may be more
    mutating func run(
        _ reading: Reading
    ) throws(StorageError) -> (rows: [Int64], last: ExportPosition?) {
        var batchID: [UInt8] = []
        var (rank, index): (Int64, Int) = (0, 0)
        while try batches.step() {
            let isSame = batches.withText(2) { $0.isEqual($0.indices, batchID) }
            if !isSame {
                batchID = batches.blob(2)
                rank += 1
            }
            try addEvents(rank: rank, index: index, batchID)
            index += 1
            if index & 63 == 0 { try reading.check() }
        }
        let isFull = last != nil || found.count >= Self.maxEvents
        cut()
        let rows = found.map(\.row)
        guard isFull, let last = found.last else { return (rows, nil) }
        return (rows, try Self.position(of: last, reading))
    }

    private static func position(
        of event: Found, _ reading: Reading
    ) throws(StorageError) -> ExportPosition {
        let batch = try reading.prepare(
            """
            SELECT b.batch_id, d.hash FROM batch AS b CROSS JOIN device AS d
            WHERE b.id = ?1 AND d.id = b.device
            """)
        try batch.bind(1, EventID(rawValue: event.row).batch)
        guard try batch.step(), let device = DeviceHash(batch.blob(1)) else {
            throw .damaged(path: reading.connection.path, found: "a batch has no device")
        }
        return ExportPosition(
            time: event.time, index: EventID(rawValue: event.row).index, device: device,
            batchID: ByteText(bytes: batch.blob(0)))
    }

    private mutating func addEvents(
        rank: Int64, index: Int, _ batchID: [UInt8]
    ) throws(StorageError) {
        let (row, arrival) = (batches.int(0), batches.int(1))
        let ids = EventID.all(ofBatch: row)
        try events.bind(1, ids.lowerBound)
        try events.bind(2, ids.upperBound)
        try events.bind(3, arrival &- window.upperBound)
        try events.bind(4, arrival &- window.lowerBound)
        defer { events.reset() }
        var order: Order?
        while try events.step() {
            let event = EventID(rawValue: events.int(0))
            let one = Found(
                time: arrival &- events.int(1),
                order: EventID(batch: rank, index: event.index).rawValue,
                batch: index, row: event.rawValue)
            if let last, !Found.precedes(one, last) { continue }
            if let after, one.time <= after.time {
                let known = order ?? Order(of: batchID, batches.blob(3), to: after)
                order = known
                guard one.time == after.time, known.isAfter(after, index: event.index) else {
                    continue
                }
            }
            found.append(one)
        }
        if found.count >= 2 * Self.maxEvents { cut() }
    }

    /// The order of a batch relative to that of `after`.
    private struct Order {
        let isSameID: Bool
        let isGreaterID: Bool
        let isGreaterDevice: Bool

        init(of batchID: [UInt8], _ device: [UInt8], to other: ExportPosition) {
            isSameID = batchID == other.batchID.bytes
            isGreaterID = other.batchID.bytes.lexicographicallyPrecedes(batchID)
            isGreaterDevice = other.device.bytes.lexicographicallyPrecedes(device)
        }

        /// Whether an event of the same time comes after `other`.
        func isAfter(_ other: ExportPosition, index: Int64) -> Bool {
            guard isSameID else { return isGreaterID }
            return index != other.index ? index > other.index : isGreaterDevice
        }
    }

    /// Sorts the events and keeps the first `maxEvents`.
    private mutating func cut() {
        found.sort(by: Found.precedes)
        guard found.count > Self.maxEvents else { return }
        found.removeLast(found.count - Self.maxEvents)
        last = found.last
    }
}
