import Storage
import Synchronization

/// The last stored batch of each app: the version of its data, since batches are only ever added. It
/// remembers how far it has looked, so that it looks at each batch once. Of any thread.
final class LatestBatches: Sendable {
    /// An app's last batch; `id` is 0 where there is none.
    struct Latest: Sendable {
        var id: Int64 = 0
        var receivedAt: Int64 = 0
        var batchID: [UInt8] = []
        /// No batch up to this row needs to be looked at again.
        var seen: Int64 = 0
    }

    private let known = Mutex<[Int64: Latest]>([:])

    /// One that has looked at nothing yet.
    init() {}

    /// The last batch that this transaction sees. Throws what the database throws.
    func latest(of app: Int64, _ reading: Reading) throws(StorageError) -> Latest {
        let end = try reading.prepare("SELECT max(id) FROM batch")
        let seen = try end.step() ? end.int(0) : 0
        var latest = known.withLock { $0[app] } ?? Latest()
        // Another one may have looked already at what this transaction does not see.
        if latest.seen > seen { latest = Latest() }
        let found = try reading.prepare(
            """
            SELECT id, received_at, batch_id FROM batch NOT INDEXED
            WHERE app = ?1 AND id > ?2 ORDER BY id DESC LIMIT 1
            """)
        try found.bind(1, app)
        try found.bind(2, latest.seen)
        if try found.step() {
            latest = Latest(id: found.int(0), receivedAt: found.int(1), batchID: found.blob(2))
        }
        latest.seen = seen
        known.withLock { $0[app] = latest }
        return latest
    }
}
