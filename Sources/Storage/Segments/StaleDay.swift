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

    /// Whether there may be rows of events of it.
    package func hasBatches(_ connection: Connection) throws(StorageError) -> Bool {
        guard let window = Segment.window(ofDay: day) else { return false }
        let batches = try connection.prepare("SELECT 1 FROM (\(BatchWindow.select)) LIMIT 1")
        try batches.bind(app: app, window: window)
        return try batches.step()
    }

    /// Deletes some of its segments, and forgets the day where nothing is left of it. Within a transaction
    /// on a connection that writes.
    /// - Returns: whether no segment is left
    package func deleteSegments(_ connection: Connection) throws(StorageError) -> Bool {
        guard try SegmentTable.deleteSome(of: app, days: [day], connection) else { return false }
        if try !hasBatches(connection) {
            try connection.change("DELETE FROM stale_day WHERE app = ?1 AND day = ?2", app, day)
        }
        return true
    }
}
