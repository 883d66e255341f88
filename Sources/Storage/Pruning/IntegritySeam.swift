/// Stands in for what keeps checksums, until they are there.
struct BatchChecksum: ~Copyable {
    private let span: Statement
    private let empty: Statement

    init(_ connection: Connection) throws(StorageError) {
        let span = try connection.prepare(
            """
            UPDATE batch SET (first_time, last_time) = (
                SELECT min(time), max(time) FROM event
                WHERE event.id >= ?1 << 13 AND event.id < (?1 + 1) << 13)
            WHERE id = ?1
            """)
        let empty = try connection.prepare(
            """
            UPDATE batch SET sessions = NULL, attribute_keys = NULL
            WHERE id = ? AND first_time IS NULL
            """)
        self.span = span
        self.empty = empty
    }

    /// After events of a stored batch were deleted, within the same transaction.
    func refresh(batch: Int64) throws(StorageError) {
        try span.bind(1, batch)
        try span.run()
        try empty.bind(1, batch)
        try empty.run()
    }
}

extension Connection {
    /// Sets a fact in `meta`.
    func setFact(_ name: String, _ value: Int64) throws(StorageError) {
        let row = try prepare(
            "INSERT INTO meta (name, value) VALUES (?, ?) "
                + "ON CONFLICT DO UPDATE SET value = excluded.value")
        try row.bind(1, name)
        try row.bind(2, value)
        try row.run()
    }
}
