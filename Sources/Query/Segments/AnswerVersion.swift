import Database
import Storage

/// The version of the data that an answer is made from: two answers to one question of one version
/// are the same bytes (docs/reports.md, Caching by ETag). Reading it takes a moment and computes no
/// report, and it outlives restarts.
enum AnswerVersion {
    /// The current version of the data of a scope, as bytes to be hashed. Throws what the database
    /// throws. Call it in the report's own transaction, so that both see the same data.
    static func bytes(
        _ scope: QueryScope, _ sources: [QuerySource], _ reading: Reading
    ) throws(StorageError) -> [UInt8] {
        var text: [UInt8] = []
        let latest = try LatestBatch(of: scope.app.id, reading)
        text += "\n\(latest.id) \(latest.receivedAt) ".utf8 + latest.batchID
        // Which database it is, and how often data of the app was removed.
        let facts = try reading.prepare(
            """
            SELECT name, value FROM meta WHERE name IN ('key_check', 'restoration', ?1) ORDER BY name
            """)
        try facts.bind(1, Connection.removals(of: scope.app.id))
        while try facts.step() { text += [0x0A] + facts.blob(0) + [0x20] + facts.blob(1) }
        for source in sources {
            text += "\n\(try source.state(scope, reading))".utf8
        }
        return text
    }
}

/// The last stored batch of an app: the version of its data, since batches are only ever added.
struct LatestBatch {
    /// Its row; 0 where there is none.
    var id: Int64 = 0
    var receivedAt: Int64 = 0
    var batchID: [UInt8] = []

    /// Reads the last batch that this transaction sees. Throws what the database throws.
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
