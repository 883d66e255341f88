import Database
import Events
import Storage

/// Finds the batches of a detached device, some at a time, on a connection that reads.
struct ErasureSearch {
    /// A batch, and what it is looked for by when it comes again; nil where that is not in `repeat_key` yet.
    struct Batch: Sendable {
        let row: Int64
        let key: RepeatKey?
    }

    /// How many are found at once: 40 bytes each.
    private static let batchesAtOnce = 4_096

    let device: Int64
    let connection: Connection

    /// Batches that may not be in `repeat_key`. What is entered meanwhile is found there.
    /// - Parameter batch: only those after this one
    func newest(after batch: Int64) throws(StorageError) -> [Batch] {
        let find = try connection.prepare(
            """
            SELECT id FROM batch
            WHERE id > max(?2, (SELECT batch FROM repeat_keys_to)) AND device = ?1
            ORDER BY id LIMIT \(Self.batchesAtOnce)
            """)
        try find.bind(1, device)
        try find.bind(2, batch)
        var batches: [Batch] = []
        while try find.step() { batches.append(Batch(row: find.int(0), key: nil)) }
        return batches
    }

    /// Batches in `repeat_key`, in the order of the table: as they go there are others.
    func entered() throws(StorageError) -> [Batch] {
        let find = try connection.prepare(
            """
            SELECT digest, batch FROM repeat_key WHERE device = ?1
            ORDER BY digest, batch LIMIT \(Self.batchesAtOnce)
            """)
        try find.bind(1, device)
        var batches: [Batch] = []
        while try find.step() {
            let row = find.int(1)
            batches.append(
                Batch(
                    row: row, key: RepeatKey(device: device, digest: find.int(0), batch: row)))
        }
        return batches
    }

    /// Whether it has first completions whose events a prune has deleted.
    func hasCompletions() throws(StorageError) -> Bool {
        try !connection.integers("SELECT 1 FROM completion WHERE device = ?1 LIMIT 1", device)
            .isEmpty
    }
}
