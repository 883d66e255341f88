import Database
import Storage

/// A row of `repeat` by its key.
struct RepeatRow: Sendable {
    let app: Int64
    let quarter: Int64
    let batch: Int64

    /// Those of all batches of a device. There is no index on batches, so it looks at all rows of
    /// the app: for a connection that reads.
    static func all(of device: Int64, _ connection: Connection) throws(StorageError) -> [RepeatRow]
    {
        let rows = try connection.prepare(
            """
            SELECT app, quarter, batch FROM repeat
            WHERE app = (SELECT app FROM device WHERE id = ?1)
              AND batch IN (SELECT batch FROM device_batch WHERE device = ?1)
            """)
        try rows.bind(1, device)
        var keys: [RepeatRow] = []
        while try rows.step() {
            keys.append(RepeatRow(app: rows.int(0), quarter: rows.int(1), batch: rows.int(2)))
        }
        return keys
    }
}

extension Connection {
    /// Deletes counts of repeats, and whether they are handed over.
    func delete(_ repeats: ArraySlice<RepeatRow>) throws(StorageError) {
        for table in ["repeat", "repeat_change"] {
            try delete(
                from: table, by: "app = ? AND quarter = ? AND batch = ?",
                repeats.lazy.map { ($0.app, $0.quarter, $0.batch) })
        }
    }

    /// Deletes keys by which repeats are found, as far as they are entered.
    func delete(_ keys: [RepeatKey]) throws(StorageError) {
        try delete(
            from: "repeat_key", by: "device = ? AND digest = ? AND batch = ?",
            keys.lazy.map { ($0.device, $0.digest, $0.batch) })
    }

    /// Deletes a row for each three numbers.
    private func delete(
        from table: String, by condition: String, _ keys: some Sequence<(Int64, Int64, Int64)>
    ) throws(StorageError) {
        let row = try prepare("DELETE FROM \"\(table)\" WHERE \(condition)")
        for key in keys {
            try row.bind(1, key.0)
            try row.bind(2, key.1)
            try row.bind(3, key.2)
            try row.run()
        }
    }
}
