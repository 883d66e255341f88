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

    func insert(_ segments: some Sequence<Segment>, of app: Int64) throws(StorageError) {
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

    /// Deletes segments of an app's days, some megabytes or some hundred small ones. Within a transaction.
    /// - Returns: whether none is left
    static func deleteSome(
        of app: Int64, days: [Int64], _ connection: Connection
    ) throws(StorageError) -> Bool {
        // Lengths stand at the beginning of a row.
        let segments = try connection.prepare(
            """
            SELECT s.id, length(s.parts) + length(s.sessions) + length(s.times) + length(s.names)
                + length(s.subjects) + coalesce(length(a.columns), 0)
            FROM segment AS s INDEXED BY segment_by_day LEFT JOIN segment_attributes AS a ON a.id = s.id
            WHERE s.app = ?1 AND s.day = ?2
            """)
        var doomed: [Int64] = []
        var bytes: Int64 = 0
        for day in days where bytes < bytesPerStep {
            try segments.bind(1, app)
            try segments.bind(2, day)
            while bytes < bytesPerStep, try segments.step() {
                doomed.append(segments.int(0))
                // At least some, or there may be any number of them.
                bytes += max(segments.int(1), bytesPerStep / 256)
            }
            segments.reset()
        }
        let delete = try connection.prepare("DELETE FROM segment WHERE id = ?1")
        for id in doomed {
            try delete.bind(1, id)
            try delete.run()
        }
        return bytes < bytesPerStep
    }

    /// Bytes of segments that are deleted at once, about: 512 pages, each of which is overwritten.
    private static let bytesPerStep: Int64 = 2 << 20

    /// Records, in the transaction that deletes or changes rows of events that are in no segment yet, that it does: caches
    /// of these are no longer valid.
    package static func noteTailRemoval(_ connection: Connection) throws(StorageError) {
        try connection.setFact(tailRemovals, (try connection.fact(tailRemovals) ?? 0) &+ 1)
    }
}
