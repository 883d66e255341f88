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
            let row = try prepare(
                "DELETE FROM \"\(table)\" WHERE app = ? AND quarter = ? AND batch = ?")
            for key in repeats {
                try row.bind(1, key.app)
                try row.bind(2, key.quarter)
                try row.bind(3, key.batch)
                try row.run()
            }
        }
    }

    /// Deletes keys by which repeats are found, as far as they are entered.
    func delete(_ keys: [RepeatKey]) throws(StorageError) {
        let row = try prepare(
            "DELETE FROM repeat_key WHERE device = ? AND digest = ? AND batch = ?")
        for key in keys {
            try row.bind(1, key.device)
            try row.bind(2, key.digest)
            try row.bind(3, key.batch)
            try row.run()
        }
    }
}
