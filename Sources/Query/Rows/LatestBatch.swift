import Database
import Storage

/// The last stored batch of an app: the version of its data, since batches are only ever added.
struct LatestBatch {
    /// Its row; 0 where there is none.
    var id: Int64 = 0
    var receivedAt: Int64 = 0
    var batchID: [UInt8] = []

    /// The last one that this transaction sees. Throws what the database throws.
    init(of app: Int64, _ reading: Reading) throws(StorageError) {
        let found = try reading.prepare(
            """
            SELECT id, received_at, batch_id FROM batch INDEXED BY batch_by_app
            WHERE app = ?1 ORDER BY id DESC LIMIT 1
            """)
        try found.bind(1, app)
        if try found.step() {
            (id, receivedAt, batchID) = (found.int(0), found.int(1), found.blob(2))
        }
    }
}
