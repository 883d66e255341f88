/// A row of `repeat` by its key.
struct RepeatRow: Sendable {
    let quarter: Int64
    let batch: Int64

    /// Those of all batches of a device. There is no index on batches, so it looks at all rows: for a
    /// connection that reads.
    static func all(of device: Int64, _ connection: Connection) throws(StorageError) -> [RepeatRow]
    {
        let rows = try connection.prepare(
            """
            SELECT quarter, batch FROM repeat
            WHERE batch IN (SELECT batch FROM device_batch WHERE device = ?)
            """)
        try rows.bind(1, device)
        var keys: [RepeatRow] = []
        while try rows.step() { keys.append(RepeatRow(quarter: rows.int(0), batch: rows.int(1))) }
        return keys
    }
}
