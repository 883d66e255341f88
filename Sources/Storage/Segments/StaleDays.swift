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

    /// Calls its argument when its turn has come; returns what it returns.
    package typealias Turn = (() throws(StorageError) -> Bool) throws(StorageError) -> Bool

    private static let maxDays = 64
    private static let maxEvents = 8 * Segment.maxEvents
    /// Bytes of segments that one transaction writes, about.
    private static let bytesAtOnce = 1 << 20
    /// How often it is begun where rows are deleted meanwhile.
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

    /// Builds the segments of all stale days from rows, group by group. Where rows of an app are deleted beside each try its
    /// days stay stale, and have to be rebuilt later; but their segments are deleted, and with them what was deleted of
    /// the rows before.
    /// - Parameters:
    ///   - reader: sees what `write` has committed
    ///   - inTurn: rebuilds a group while nobody else rebuilds one
    ///   - shouldStop: asked between groups and portions; days that are not finished stay stale
    package static func rebuildAll(
        _ reader: Connection,
        inTurn: @escaping Turn = { (work) throws(StorageError) in try work() },
        shouldStop: () -> Bool = { false }, _ write: Write
    ) throws(StorageError) {
        var busyApps: Set<Int64> = []
        for days in try all(reader) where !shouldStop() {
            func rebuild() throws(StorageError) -> Bool {
                guard busyApps.contains(days.app) else {
                    return try days.rebuild(reader, shouldStop: shouldStop, write)
                }
                if try days.areStale(reader) { _ = try days.deleteSegments(shouldStop, write) }
                return true
            }
            if try !inTurn(rebuild) { busyApps.insert(days.app) }
        }
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
    /// Where rows of the app are deleted all the time the days stay stale, and have to be rebuilt later.
    /// - Parameters:
    ///   - reader: sees what `write` has committed
    ///   - shouldStop: asked between portions; days that are not finished stay stale
    /// - Returns: false where rows were deleted beside each try: other days of the app need not be tried
    func rebuild(
        _ reader: Connection, shouldStop: () -> Bool, _ write: Write
    ) throws(StorageError) -> Bool {
        guard try areStale(reader) else { return true }
        for _ in 0..<Self.maxTries {
            if shouldStop() { return true }
            if try make(reader, shouldStop, write) { return true }
        }
        return false
    }

    /// - Returns: false if rows of the app were deleted meanwhile; the days are then still stale
    private func make(
        _ reader: Connection, _ shouldStop: () -> Bool, _ write: Write
    ) throws(StorageError) -> Bool {
        let removals = try reader.fact(Connection.removals(of: app)) ?? 0
        guard let last = try deleteSegments(shouldStop, write) else { return true }
        var rows = try SegmentRows(reader)
        var batches = DayBatches(of: app, days: days, upTo: last)
        var builder = SegmentBuilder()
        var isMore = true
        while isMore {
            isMore = try reader.snapshot { () throws(StorageError) in
                try rows.read(&batches, maxCount: Self.maxEvents, into: &builder)
            }
            if isMore, shouldStop() { return true }
            var segments = builder.build()[...]
            repeat {
                let some = Self.first(of: segments)
                segments = segments.dropFirst(some.count)
                let isLast = !isMore && segments.isEmpty
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
            } while !segments.isEmpty
            builder.removeAll()
        }
        return true
    }

    /// Those that one transaction writes: one at least.
    private static func first(of segments: ArraySlice<Segment>) -> ArraySlice<Segment> {
        var bytes = 0
        return segments.prefix { segment in
            defer { bytes += segment.bytes }
            return bytes < bytesAtOnce
        }
    }

    /// Deletes the segments of the days, some a transaction. Events that are packed after the last transaction belong to
    /// later batches, and stay.
    /// - Returns: the batch up to which the app's events are in segments, or would be; nil if it was stopped
    private func deleteSegments(
        _ shouldStop: () -> Bool, _ write: Write
    ) throws(StorageError) -> Int64? {
        while !shouldStop() {
            let last = try write { (connection) throws(StorageError) in
                try change("INSERT OR IGNORE INTO stale_day (app, day) VALUES (?1, ?2)", connection)
                guard try SegmentTable.deleteSome(of: app, days: days, connection) else {
                    return -1
                }
                // A damaged number must not look like the one above.
                return max(0, try SegmentTable.lastBatch(of: app, connection))
            }
            if last >= 0 { return last }
        }
        return nil
    }

    /// Runs a statement with the parameters app and day for each day.
    private func change(_ sql: String, _ connection: Connection) throws(StorageError) {
        let statement = try connection.prepare(sql)
        for day in days {
            try statement.bind(1, app)
            try statement.bind(2, day)
            try statement.run()
        }
    }
}
