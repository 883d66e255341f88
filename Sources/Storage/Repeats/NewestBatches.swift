import Database

/// Batches that were not in `repeat_key` yet when they were read, by device: for code that goes through
/// many devices, where the view `device_batch` would search them for each. Some 16 bytes a batch.
package struct NewestBatches: ~Copyable {
    /// Batches of a device, to be joined as `own`, a table with the column `batch`: ?1 is the device,
    /// ?11 and ?12 what `bind` binds.
    package static let own = """
        own(batch) AS (
            SELECT batch FROM repeat_key WHERE device = ?1 AND batch <= ?11
            UNION ALL SELECT value FROM json_each(?12)
        )
        """

    private let connection: Connection
    private let newer: Statement
    private var batches: [Int64: [Int64]] = [:]
    /// All up to here are in `repeat_key`.
    private var reach: Int64 = 0
    /// All up to here are in `batches`.
    private var last: Int64 = 0

    package init(_ connection: Connection) throws(StorageError) {
        self.connection = connection
        newer = try connection.prepare("SELECT id, device FROM batch WHERE id > ? ORDER BY id")
    }

    /// Looks for what has come since. In the snapshot in which `own` is used next, or before it.
    package mutating func update() throws(StorageError) {
        let now = try connection.fact(RepeatKey.reach) ?? 0
        if now != reach {
            batches = [:]
            reach = now
            last = now
        }
        try newer.bind(1, last)
        defer { newer.reset() }
        while try newer.step() {
            last = newer.int(0)
            batches[newer.int(1), default: []].append(last)
        }
    }

    /// Binds a statement that has `own` to a device.
    package func bind(_ device: Int64, to statement: borrowing Statement) throws(StorageError) {
        try statement.bind(1, device)
        try statement.bind(11, reach)
        let numbers = (batches[device] ?? []).map(String.init).joined(separator: ",")
        try statement.bind(12, "[" + numbers + "]")
    }
}
