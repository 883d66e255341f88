import Database
import Events

/// Counts by which keys batches came: a row a key and commit, whatever the number of batches.
final class KeyUse {
    private let add: Statement
    private var counted: [Int64: (batches: Int64, last: Int64)] = [:]

    init(_ connection: Connection) throws(StorageError) {
        add = try connection.prepare(
            """
            INSERT INTO key_use (key, batches, last_used, checksum)
            VALUES (?1, ?2, ?3, \(CheckedTable.keyUse.expression("?1, ?2, ?3")))
            ON CONFLICT DO UPDATE
            SET batches = batches + ?2, last_used = max(last_used, ?3),
                checksum = \(CheckedTable.keyUse.expression(
                    "key, batches + ?2, max(last_used, ?3)"))
            """)
    }

    func count(_ batch: borrowing AcceptedBatch) {
        guard let key = batch.key else { return }
        let old = counted[key] ?? (0, batch.receivedAt)
        counted[key] = (old.batches + 1, max(old.last, batch.receivedAt))
    }

    /// Writes what the transaction has counted; to be called before it ends.
    func write() throws(StorageError) {
        for (key, use) in counted {
            try add.bind(1, key)
            try add.bind(2, use.batches)
            try add.bind(3, use.last)
            try add.run()
        }
        counted.removeAll(keepingCapacity: true)
    }

    /// After a rollback.
    func forget() { counted.removeAll() }
}

extension Connection {
    /// By a key's row id: how many stored batches came under it, and when the last one arrived,
    /// milliseconds since 1970-01-01T00:00:00Z.
    package func keyUse() throws(StorageError) -> [Int64: (batches: Int64, last: Int64)] {
        let rows = try prepare("SELECT key, batches, last_used FROM key_use")
        var use: [Int64: (batches: Int64, last: Int64)] = [:]
        while try rows.step() { use[rows.int(0)] = (rows.int(1), rows.int(2)) }
        return use
    }
}
