import Database

/// Which sums of repeats and refusals have changed since they were handed over: tables `repeat_change` and
/// `refusal_change` (docs/schema.md). Only of nodes that hand over.
enum ChangeNotes {
    /// From now on every row that this connection adds or changes is noted with it, in one transaction.
    static func begin(on connection: Connection) throws(StorageError) {
        let notes = [
            ("repeat", "app, quarter, batch", "new.app, new.quarter, new.batch"),
            ("refusal", "app, quarter, code", "new.app, new.quarter, new.code"),
        ]
        for (table, columns, values) in notes {
            for event in ["INSERT", "UPDATE"] {
                // Of this connection alone: what is not handed over costs nothing. Not OR IGNORE, which an
                // upsert around it overrides.
                try connection.execute(
                    """
                    CREATE TEMP TRIGGER \(table)_\(event) AFTER \(event) ON main."\(table)" BEGIN
                        INSERT INTO \(table)_change (\(columns)) VALUES (\(values))
                            ON CONFLICT DO UPDATE SET handed_over = NULL
                            WHERE handed_over IS NOT NULL;
                    END
                    """)
            }
        }
    }
}
