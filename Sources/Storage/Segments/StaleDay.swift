import Columns
import Database

/// A day of an app whose segments have events that are deleted: until they are made anew, its rows count.
package struct StaleDay: Sendable {
    package let app: Int64
    /// Days since 1970-01-01, UTC.
    package let day: Int64

    /// All there are.
    package static func all(_ connection: Connection) throws(StorageError) -> [StaleDay] {
        let rows = try connection.prepare("SELECT app, day FROM stale_day ORDER BY app, day")
        var days: [StaleDay] = []
        while try rows.step() { days.append(StaleDay(app: rows.int(0), day: rows.int(1))) }
        return days
    }

    /// Whether it has segments, which nobody reads any more.
    package func hasSegments(_ connection: Connection) throws(StorageError) -> Bool {
        try !connection.integers(
            "SELECT 1 FROM segment WHERE app = ?1 AND day = ?2 LIMIT 1", app, day
        ).isEmpty
    }

    /// Up to which batch none has rows of events of it; nil where one may have. On a connection that reads: it may have
    /// to look at all batches of the day before.
    /// - Parameter known: up to there it is known that none has
    package func emptyTo(
        _ connection: Connection, after known: Int64? = nil
    ) throws(StorageError) -> Int64? {
        // Before it looks: those that come meanwhile are after it.
        let last = try connection.integer("SELECT max(id) FROM batch") ?? 0
        if let known { return try hasBatches(after: known, connection) ? nil : last }
        guard let window = Segment.window(ofDay: day) else { return last }
        let batches = try connection.prepare("SELECT 1 FROM (\(BatchWindow.select)) LIMIT 1")
        try batches.bind(app: app, window: window)
        return try batches.step() ? nil : last
    }

    /// Whether a batch after one may have events of it: all of these are looked at.
    private func hasBatches(
        after batch: Int64, _ connection: Connection
    ) throws(StorageError) -> Bool {
        guard let window = Segment.window(ofDay: day) else { return false }
        let batches = try connection.prepare("\(BatchWindow.inWindowAfter) LIMIT 1")
        try batches.bind(app: app, window: window)
        try batches.bind(8, batch)
        return try batches.step()
    }

    /// Deletes some of its segments, and forgets the day where nothing is left of it. Within a transaction
    /// on a connection that writes.
    /// - Parameter batch: up to there no batch has rows of it; nil: one may have, and the day stays
    /// - Returns: whether no segment is left
    package func deleteSegments(
        _ connection: Connection, emptyTo batch: Int64?
    ) throws(StorageError) -> Bool {
        guard try SegmentTable.deleteSome(of: app, days: [day], connection) else { return false }
        if let batch, try !hasBatches(after: batch, connection) {
            try connection.change("DELETE FROM stale_day WHERE app = ?1 AND day = ?2", app, day)
        }
        return true
    }
}
