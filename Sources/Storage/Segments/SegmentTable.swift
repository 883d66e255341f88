import Columns
import Database
import Events

/// Rows of `segment` and what goes with them, on a connection that writes.
package final class SegmentTable {
    private let connection: Connection
    private let insertSegment: Statement
    private let setLast: Statement

    init(_ connection: Connection) throws(StorageError) {
        self.connection = connection
        insertSegment = try connection.prepare(
            """
            INSERT INTO segment (app, day, events, parts, sessions, times, names, subjects, checksum)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8,
                \(CheckedTable.segment.expression("?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8")))
            """)
        setLast = try connection.prepare(
            """
            INSERT INTO segmented (app, last_batch, checksum)
            VALUES (?1, ?2, \(CheckedTable.segmented.expression("?1, ?2")))
            ON CONFLICT DO UPDATE
            SET last_batch = excluded.last_batch, checksum = excluded.checksum
            """)
    }

    /// The last batch whose events are in the app's segments; 0 where there is none.
    package static func lastBatch(
        of app: Int64, _ connection: Connection
    ) throws(StorageError) -> Int64 {
        try connection.integers("SELECT last_batch FROM segmented WHERE app = ?", app).first ?? 0
    }

    func insert(_ segments: [Segment], of app: Int64) throws(StorageError) {
        for segment in segments {
            try insertSegment.bind(1, app)
            try insertSegment.bind(2, segment.day)
            try insertSegment.bind(3, segment.events)
            try insertSegment.bindBlob(4, segment.parts)
            try insertSegment.bindBlob(5, segment.sessions)
            try insertSegment.bindBlob(6, segment.times)
            try insertSegment.bindBlob(7, segment.names)
            try insertSegment.bindBlob(8, segment.subjects)
            try insertSegment.run()
        }
        insertSegment.clear()
    }

    /// Records that all events up to a batch are in segments now.
    func setLastBatch(_ batch: Int64, of app: Int64) throws(StorageError) {
        try setLast.bind(1, app)
        try setLast.bind(2, batch)
        try setLast.run()
    }

    /// The fact of `meta` that counts how often rows were deleted whose events are in no segment yet.
    static let tailRemovals = "tail_removals"

    /// Records, before they are deleted, that all events of a run of batches will be, whichever app they are of
    /// (`DeletionNotes`).
    package static func noteDeletion(
        ofBatches batches: ClosedRange<Int64>, _ connection: Connection
    ) throws(StorageError) {
        let inTail = try connection.integers(
            """
            SELECT 1 FROM batch AS b LEFT JOIN segmented AS s ON s.app = b.app
            WHERE b.id >= ?1 AND b.id <= ?2 AND b.id > coalesce(s.last_batch, 0) LIMIT 1
            """, batches.lowerBound, batches.upperBound)
        if !inTail.isEmpty { try noteTailRemoval(connection) }
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
    static func day(_ time: String) -> String {
        "(\(time) - ((\(time)) % \(Segment.dayLength) + \(Segment.dayLength)) % \(Segment.dayLength)) "
            + "/ \(Segment.dayLength)"
    }

    /// Forgets all segments of an app: all of its events are read as rows until they are made anew.
    package static func removeAll(of app: Int64, _ connection: Connection) throws(StorageError) {
        try connection.change("DELETE FROM segment WHERE app = ?", app)
        try connection.change("DELETE FROM segmented WHERE app = ?", app)
        try connection.change("DELETE FROM stale_day WHERE app = ?", app)
        try noteTailRemoval(connection)
    }

    static func noteTailRemoval(_ connection: Connection) throws(StorageError) {
        try connection.setFact(tailRemovals, (try connection.fact(tailRemovals) ?? 0) &+ 1)
    }
}
