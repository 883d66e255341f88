import Columns
import Database

/// The batches of an app that may have events between two instants, by the two indexes that the
/// schema has for it: one for those of at most a day, one for the few that span more.
package enum BatchWindow {
    /// Row, device, resource, first and last time, arrival of each. ?5 is the app, ?6 the first
    /// instant, ?7 the one after the last.
    static let select = """
        SELECT \(columns)
        FROM batch INDEXED BY batch_by_hour
        WHERE app = ?5 AND last_time - first_time <= 86400000
          AND first_time / 3600000 >= (?6 - 86400000) / 3600000
          AND first_time / 3600000 <= ?7 / 3600000
          AND first_time < ?7 AND last_time >= ?6
        UNION ALL
        SELECT \(columns)
        FROM batch INDEXED BY batch_by_long_time
        WHERE app = ?5 AND last_time - first_time > 86400000
          AND first_time < ?7 AND last_time >= ?6
        """

    private static let columns = "id, device, resource, first_time, last_time, received_at"
}

extension Statement {
    /// Binds ?5 to ?7 to an app and a stretch of time.
    func bind(app: Int64, window: Range<Int64>) throws(StorageError) {
        try bind(5, app)
        try bind(6, window.lowerBound)
        try bind(7, window.upperBound)
    }
}

/// Which batches have events in a stretch of time. A batch may span weeks of which it has events on two
/// days only, so that its first and last time do not suffice: segments have it day by day.
extension BatchWindow {
    /// A batch that may have events in a stretch of time.
    package struct Candidate: Sendable {
        /// Its row.
        package let row: Int64
        /// How many events it has there; nil where that is not known.
        package fileprivate(set) var events: Int?
    }

    /// Charges for the bytes of a list. Throws where they are too many.
    package typealias Charge = (_ bytes: Int) throws(StorageError) -> Void

    /// An app's batches with events between two instants, each once, in order of rows; and some that
    /// only may have. Throws what the database and the closures throw, and `damaged`.
    /// - Parameters:
    ///   - limit: nil is returned where more than so many certainly have an event there; checked once a day
    ///   - connection: in a transaction
    ///   - charge: told how many bytes the list takes, before it grows
    ///   - resources: whether batches of the resource in this row are asked for
    package static func rows(
        of app: Int64, _ window: Range<Int64>, limit: Int, _ connection: Connection,
        _ tails: SegmentTails, charge: Charge, resources: (Int64) throws(StorageError) -> Bool
    ) throws(StorageError) -> [Candidate]? {
        var found = BatchRows(window, limit: limit)
        var scan = SegmentScan(try SegmentList(storedOf: app, window, connection, tails), [])
        while !found.isFull, try scan.next() {
            guard try resources(scan.part.resource) else { continue }
            try found.add(
                scan.part.batch, first: scan.part.first, last: scan.part.last,
                events: scan.part.count, charge)
        }

        let last = try SegmentTable.lastBatch(of: app, connection)
        // After the last segment there are few rows; of an app without segments there may be any number.
        let after = try connection.prepare(last == 0 ? Self.allInWindow : Self.inWindowAfter)
        try after.bind(8, last)
        try found.add(after, of: app, window, charge, where: resources)

        let days = Segment.days(of: window)
        let stale = try connection.prepare(
            "SELECT id, resource, first_time, last_time FROM (\(select)) WHERE id <= ?8")
        try stale.bind(8, last)
        for one in try StaleDay.all(connection) where one.app == app && days.contains(one.day) {
            let start = one.day * Segment.dayLength
            let part = window.clamped(to: start..<start + Segment.dayLength)
            try found.add(stale, of: app, part, charge, where: resources)
        }
        return found.isFull ? nil : found.sorted()
    }

    private static let allInWindow =
        "SELECT id, resource, first_time, last_time FROM (\(select)) WHERE id > ?8"
    /// The same but for the arrival and the device, of batches after ?8.
    static let inWindowAfter = """
        SELECT id, resource, first_time, last_time FROM batch NOT INDEXED
        WHERE app = ?5 AND first_time < ?7 AND last_time >= ?6 AND id > ?8
        """

    /// The same of one device: its batches are few, so that their rows are gone through, not segments.
    package static func rows(
        ofDevice device: Int64, _ app: Int64, _ window: Range<Int64>, limit: Int,
        _ connection: Connection, charge: Charge, resources: (Int64) throws(StorageError) -> Bool
    ) throws(StorageError) -> [Candidate]? {
        let batches = try connection.prepare(
            """
            SELECT b.id, b.resource, b.first_time, b.last_time
            FROM device_batch AS k CROSS JOIN batch AS b
            WHERE k.device = ?8 AND b.id = k.batch
              AND b.app = ?5 AND b.first_time < ?7 AND b.last_time >= ?6
            """)
        try batches.bind(8, device)
        var found = BatchRows(window, limit: limit)
        try found.add(batches, of: app, window, charge, where: resources)
        return found.isFull ? nil : found.sorted()
    }
}

/// Collects rows of batches until more than `limit` certainly have an event in a stretch of time: the
/// times of the first and the last event show that, where one of them lies in it. Those that begin
/// before and end after it may have one, and do not count: a shorter stretch would not reduce them.
private struct BatchRows {
    private let window: Range<Int64>
    private let limit: Int
    private var rows: [BatchWindow.Candidate] = []
    private var certain = 0

    init(_ window: Range<Int64>, limit: Int) { (self.window, self.limit) = (window, limit) }

    /// Whether more than `limit` were found.
    var isFull: Bool { certain > limit }

    /// Each once, in order.
    mutating func sorted() -> [BatchWindow.Candidate] {
        rows.sort { $0.row < $1.row }
        var count = 0
        for index in rows.indices {
            let one = rows[index]
            guard count > 0, rows[count - 1].row == one.row else {
                rows[count] = one
                count += 1
                continue
            }
            // It has events on several days.
            rows[count - 1].events = rows[count - 1].events.flatMap { sum in
                one.events.map { sum + $0 }
            }
        }
        rows.removeLast(rows.count - count)
        return rows
    }

    /// - Parameter events: how many it has from the first to the last; nil: not known
    mutating func add(
        _ row: Int64, first: Int64, last: Int64, events: Int? = nil, _ charge: BatchWindow.Charge
    ) throws(StorageError) {
        if rows.count == rows.capacity { try grow(charge) }
        let (isFirst, isLast) = (window.contains(first), window.contains(last))
        rows.append(BatchWindow.Candidate(row: row, events: isFirst && isLast ? events : nil))
        if isFirst || isLast { certain += 1 }
    }

    /// From this many bytes on the list grows by a quarter.
    private static let large = 1 << 20

    private mutating func grow(_ charge: BatchWindow.Charge) throws(StorageError) {
        let stride = MemoryLayout<BatchWindow.Candidate>.stride
        let held = rows.capacity * stride
        let wanted =
            held < Self.large ? max(2 * rows.capacity, 64) : rows.capacity + rows.capacity / 4
        // While rows are copied both pieces of memory are held; to sort them later takes no more.
        try charge(held + wanted * stride)
        rows.reserveCapacity(wanted)
    }

    /// Adds rows of a statement: batch, resource, first and last time; ?5 to ?7 are app and window.
    mutating func add(
        _ batches: borrowing Statement, of app: Int64, _ window: Range<Int64>,
        _ charge: BatchWindow.Charge,
        where isWanted: (_ resource: Int64) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try batches.bind(app: app, window: window)
        defer { batches.reset() }
        while !isFull, try batches.step() {
            guard try isWanted(batches.int(1)) else { continue }
            try add(batches.int(0), first: batches.int(2), last: batches.int(3), charge)
        }
    }
}
