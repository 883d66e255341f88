import Database
import Storage

/// What the data were from which an answer was made, so that two answers to one question of one version are the
/// same bytes (docs/reports.md, Caching by ETag). It is read in a moment, without computing the report, and
/// outlives restarts.
enum AnswerVersion {
    /// The version of the data of a scope now, as bytes to be hashed. Throws what the database throws. In the
    /// report's own transaction, so that both see the same data.
    static func bytes(
        _ scope: QueryScope, _ sources: [QuerySource], _ reading: Reading
    ) throws(StorageError) -> [UInt8] {
        var text: [UInt8] = []
        let latest = try LatestBatch(of: scope.app.id, reading)
        text += "\n\(latest.id) \(latest.receivedAt) ".utf8 + latest.batchID
        // Which database it is, and how often something of the app was taken away.
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
