/// Which batches have events in a stretch of time. A batch may span weeks of which it has events on two
/// days only, so that its first and last time tell little: segments tell it day by day.
extension BatchWindow {
    /// Rows of an app's batches with events between two instants, each once, in order; and perhaps of some
    /// that only may have. Throws what the database throws, and `damaged`.
    /// - Parameters:
    ///   - resources: whether batches of the resource in this row are asked for
    ///   - most: nil where there are more than so many, or nearly
    ///   - connection: in a transaction
    package static func rows(
        of app: Int64, _ window: Range<Int64>, most: Int, _ connection: Connection,
        _ tails: SegmentTails, resources: (Int64) -> Bool
    ) throws(StorageError) -> [Int64]? {
        var rows: [Int64] = []
        var scan = SegmentScan(
            try SegmentList(storedOf: app, window, connection, tails), [])
        while try scan.next() {
            if resources(scan.part.resource) { rows.append(scan.part.batch) }
            if rows.count > most { return nil }
        }

        let last = try SegmentTable.lastBatch(of: app, connection)
        let behind = try connection.prepare(
            """
            SELECT id, resource FROM batch NOT INDEXED
            WHERE app = ?5 AND first_time < ?7 AND last_time >= ?6 AND id > ?8
            """)
        try behind.bind(8, last)
        guard try add(behind, of: app, window, most, resources, to: &rows) else { return nil }

        let days = Segment.days(of: window)
        let stale = try connection.prepare(
            "SELECT id, resource FROM (\(select)) WHERE id <= ?8")
        for one in try StaleDay.all(connection) where one.app == app && days.contains(one.day) {
            let start = one.day * Segment.dayLength
            try stale.bind(8, last)
            let part = window.clamped(to: start..<start + Segment.dayLength)
            guard try add(stale, of: app, part, most, resources, to: &rows) else { return nil }
        }

        rows.sort()
        var unique: [Int64] = []
        unique.reserveCapacity(rows.count)
        for row in rows where row != unique.last { unique.append(row) }
        return unique
    }

    private static func add(
        _ batches: borrowing Statement, of app: Int64, _ window: Range<Int64>, _ most: Int,
        _ resources: (Int64) -> Bool, to rows: inout [Int64]
    ) throws(StorageError) -> Bool {
        try batches.bind(app: app, window: window)
        defer { batches.reset() }
        while try batches.step() {
            if resources(batches.int(1)) { rows.append(batches.int(0)) }
            if rows.count > most { return false }
        }
        return true
    }

    /// The same of one device.
    package static func rows(
        ofDevice device: Int64, _ app: Int64, _ window: Range<Int64>, most: Int,
        _ connection: Connection
    ) throws(StorageError) -> [Int64]? {
        let batches = try connection.prepare(
            """
            SELECT b.id, b.resource FROM device_batch AS k CROSS JOIN batch AS b
            WHERE k.device = ?8 AND b.id = k.batch
              AND b.app = ?5 AND b.first_time < ?7 AND b.last_time >= ?6
            """)
        try batches.bind(8, device)
        var rows: [Int64] = []
        return try add(batches, of: app, window, most, { _ in true }, to: &rows) ? rows : nil
    }
}
