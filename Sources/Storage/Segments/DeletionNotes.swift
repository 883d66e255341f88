import Database

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
            SELECT b.app, \(SegmentTable.day("b.received_at - e.late"))
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
}
