import Columns
import Database

/// Stale days of one app that are rebuilt together, because a batch may have events of hundreds of days and is then
/// read once for all of them. Another connection reads the rows that are left; the writer only deletes and inserts
/// segments. Until the rebuild ends no report reads the segments of these days.
package struct StaleDays: Sendable {
    /// Runs work in a transaction of its own on a connection that writes; returns what it returns.
    package typealias Write = (
        _ work: @Sendable (Connection) throws(StorageError) -> Int64
    ) throws(StorageError) -> Int64

    private static let maxDays = 64
    private static let maxEvents = 8 * Segment.maxEvents
    /// How often rows may be deleted meanwhile before the writer waits.
    private static let maxTries = 3

    package let app: Int64
    /// Days since 1970-01-01, UTC, in order.
    package let days: [Int64]

    /// All stale days, or those of one app, in groups of days that lie close together and whose segments have at most
    /// `maxEvents` events.
    package static func all(
        _ connection: Connection, of one: Int64? = nil
    ) throws(StorageError) -> [StaleDays] {
        let events = try connection.prepare(
            """
            SELECT coalesce(sum(min(max(events, 0), \(maxEvents))), 0)
            FROM segment INDEXED BY segment_by_day WHERE app = ?1 AND day = ?2
            """)
        var found: [StaleDays] = []
        var days: [Int64] = []
        var count: Int64 = 0
        var app: Int64 = 0
        for day in try StaleDay.all(connection) where one == nil || day.app == one {
            try events.bind(1, day.app)
            try events.bind(2, day.day)
            let own = try events.step() ? events.int(0) : 0
            events.reset()
            let isNext =
                day.app == app && days.count < maxDays && own <= Int64(maxEvents) - count
                && isClose(day.day, to: days)
            if !isNext, !days.isEmpty {
                found.append(StaleDays(app: app, days: days))
                (days, count) = ([], 0)
            }
            app = day.app
            days.append(day.day)
            count += min(own, Int64(maxEvents))
        }
        if !days.isEmpty { found.append(StaleDays(app: app, days: days)) }
        return found
    }

    /// Whether at least every second day of the group's span stays stale with this one: rows of days between are read in
    /// vain.
    private static func isClose(_ day: Int64, to days: [Int64]) -> Bool {
        guard let first = days.first, Segment.window(ofDay: first) != nil,
            Segment.window(ofDay: day) != nil
        else { return false }
        return day - first < Int64(2 * (days.count + 1))
    }

    /// Whether any of the days is still stale.
    private func areStale(_ connection: Connection) throws(StorageError) -> Bool {
        for day in days {
            let marks = try connection.integers(
                "SELECT 1 FROM stale_day WHERE app = ?1 AND day = ?2", app, day)
            if !marks.isEmpty { return true }
        }
        return false
    }

    /// Builds the segments of the days from rows, unless that has been done since they were listed. One caller at a time.
    /// - Parameters:
    ///   - reader: sees what `write` has committed
    ///   - shouldStop: asked between portions; days that are not finished stay stale
    package func rebuild(
        _ reader: Connection, shouldStop: () -> Bool = { false }, _ write: Write
    ) throws(StorageError) {
        guard try areStale(reader) else { return }
        for _ in 0..<Self.maxTries {
            if shouldStop() { return }
            if try make(reader, shouldStop, write) { return }
        }
        // A prune deletes rows all the time: nothing can be deleted between the two halves of one transaction.
        for day in days {
            if shouldStop() { return }
            let one = StaleDays(app: app, days: [day])
            _ = try write { (connection) throws(StorageError) in
                _ = try one.make(connection, { false }) { (work) throws(StorageError) in
                    try work(connection)
                }
                return 0
            }
        }
    }

    /// - Returns: false if rows of the app were deleted meanwhile; the days are then still stale
    private func make(
        _ reader: Connection, _ shouldStop: () -> Bool, _ write: Write
    ) throws(StorageError) -> Bool {
        let removals = try reader.fact(Connection.removals(of: app)) ?? 0
        // Events that are packed from now on belong to later batches, and stay. A split of a device deletes all
        // segments of the app together with its marks, so the days are marked again.
        let last = try write { (connection) throws(StorageError) in
            try change("INSERT OR IGNORE INTO stale_day (app, day) VALUES (?1, ?2)", connection)
            try change("DELETE FROM segment WHERE app = ?1 AND day = ?2", connection)
            return try SegmentTable.lastBatch(of: app, connection)
        }
        let maxCount = days.count == 1 ? Segment.maxEvents : Self.maxEvents
        var rows = try SegmentRows(reader)
        var builder = SegmentBuilder()
        var batch: Int64 = 0
        var isMore = true
        while isMore {
            isMore = try rows.read(
                of: app, days: days, after: batch, upTo: last, maxCount: maxCount, into: &builder)
            if isMore, shouldStop() { return true }
            let (some, isLast) = (builder.build(), !isMore)
            let isInserted = try write { (connection) throws(StorageError) in
                let now = try connection.fact(Connection.removals(of: app)) ?? 0
                if now != removals { return 0 }
                try SegmentTable(connection).insert(some, of: app)
                if isLast {
                    try change("DELETE FROM stale_day WHERE app = ?1 AND day = ?2", connection)
                }
                return 1
            }
            if isInserted == 0 { return false }
            batch = builder.lastBatch ?? last
            builder.removeAll()
        }
        return true
    }

    /// Runs a statement with the parameters app and day for each day.
    private func change(_ sql: String, _ connection: Connection) throws(StorageError) {
        for day in days { try connection.change(sql, app, day) }
    }
}
