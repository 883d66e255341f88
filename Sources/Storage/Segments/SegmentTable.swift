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

    /// Deletes segments of an app's days, a few large ones or some hundred small ones. Within a transaction.
    /// - Returns: whether none is left
    static func deleteSome(
        of app: Int64, days: [Int64], _ connection: Connection
    ) throws(StorageError) -> Bool {
        let segments = try connection.prepare(
            "SELECT id, events FROM segment INDEXED BY segment_by_day WHERE app = ?1 AND day = ?2")
        var doomed: [Int64] = []
        var events: Int64 = 0
        for day in days where events < eventsPerStep {
            try segments.bind(1, app)
            try segments.bind(2, day)
            while events < eventsPerStep, try segments.step() {
                doomed.append(segments.int(0))
                // At least some, or there may be any number of them.
                events += min(max(segments.int(1), eventsPerStep / 256), eventsPerStep)
            }
            segments.reset()
        }
        let delete = try connection.prepare("DELETE FROM segment WHERE id = ?1")
        for id in doomed {
            try delete.bind(1, id)
            try delete.run()
        }
        return events < eventsPerStep
    }

    /// Events whose segments are deleted at once, about: some hundred pages each 65,536.
    private static let eventsPerStep = Int64(4 * Segment.maxEvents)

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
