import Columns
import Database
import Events

/// Records, before they are deleted, that events of batches will be: segments of their days, and caches of events that are
/// in no segment yet, are no longer valid. On a connection that writes, within the transaction that deletes them.
package struct DeletionNotes: ~Copyable {
    private let connection: Connection
    private let isInTail: Statement
    private let markDays: Statement

    package init(_ connection: Connection) throws(StorageError) {
        let isInTail = try connection.prepare(
            """
            SELECT b.id > coalesce((SELECT last_batch FROM segmented WHERE app = b.app), 0)
            FROM batch AS b WHERE b.id = ?
            """)
        let markDays = try connection.prepare(
            """
            INSERT OR IGNORE INTO stale_day (app, day)
            SELECT b.app, \(Self.day("b.received_at - e.late"))
            FROM batch AS b CROSS JOIN event AS e
            WHERE b.id = ?1 AND e.id >= ?2 AND e.id <= ?3
            """)
        // All or none: a value that cannot be copied is never half there.
        self.connection = connection
        self.isInTail = isInTail
        self.markDays = markDays
    }

    /// Events of one batch that are about to be deleted.
    package func note(_ events: ClosedRange<Int64>, ofBatch batch: Int64) throws(StorageError) {
        try isInTail.bind(1, batch)
        defer { isInTail.reset() }
        if try isInTail.step(), isInTail.int(0) == 1 {
            return try SegmentTable.noteTailRemoval(connection)
        }
        try markDays.bind(1, batch)
        try markDays.bind(2, events.lowerBound)
        try markDays.bind(3, events.upperBound)
        try markDays.run()
    }

    /// All events of a run of batches that are about to be deleted, whichever app they are of.
    package static func note(
        allOf batches: ClosedRange<Int64>, _ connection: Connection
    ) throws(StorageError) {
        let inTail = try connection.integers(
            """
            SELECT 1 FROM batch AS b LEFT JOIN segmented AS s ON s.app = b.app
            WHERE b.id >= ?1 AND b.id <= ?2 AND b.id > coalesce(s.last_batch, 0) LIMIT 1
            """, batches.lowerBound, batches.upperBound)
        if !inTail.isEmpty { try SegmentTable.noteTailRemoval(connection) }
        try connection.change(
            """
            INSERT OR IGNORE INTO stale_day (app, day)
            SELECT DISTINCT b.app, \(day("b.received_at - e.late"))
            FROM batch AS b CROSS JOIN segmented AS s CROSS JOIN event AS e
            WHERE b.id >= ?1 AND b.id <= ?2 AND s.app = b.app AND b.id <= s.last_batch
                AND \(EventID.isSQL("e.id", ofBatch: "b.id"))
            """, batches.lowerBound, batches.upperBound)
    }

    /// The day of a time, as SQL: rounded down, also before 1970.
    private static func day(_ time: String) -> String {
        "(\(time) - ((\(time)) % \(Segment.dayLength) + \(Segment.dayLength)) % \(Segment.dayLength)) "
            + "/ \(Segment.dayLength)"
    }
}
