import Curl

/// Makes the engine's database and tables, and brings them up to date: `sojourn migrate --engine`
/// (docs/scale.md, One cluster). Harmless to repeat, also from two nodes at once.
package struct EngineMaker {
    private let session: EngineSession
    private let identity: EngineIdentity
    private var access: EngineAccess { session.servers.access }

    /// - Parameter identity: what the engine has to be afterwards
    package init(_ session: EngineSession, _ identity: EngineIdentity) {
        self.session = session
        self.identity = identity
    }

    /// Looks at all servers first, and changes nothing where one is another's.
    /// - Parameter now: milliseconds since 1970, for the versions of what is recorded
    /// - Returns: the oldest schema that a server had; 0 where one had no tables
    /// - Throws: `stranger` where a server belongs to another master key, another shard or a newer program
    package func run(now: Int64) throws(EngineError) -> Int64 {
        var oldest = Int64.max
        var found: [(server: ServerAddress, shard: Int, schema: Int64)] = []
        for (shard, replicas) in access.shards.enumerated() {
            for server in replicas {
                let schema = try schema(of: server, shard: shard)
                found.append((server, shard, schema))
                oldest = min(oldest, schema)
            }
        }
        for (server, shard, schema) in found {
            try bringUp(server, shard: shard, from: schema, now: now)
            session.servers.forget(server)
        }
        return oldest
    }

    private func schema(of server: ServerAddress, shard: Int) throws(EngineError) -> Int64 {
        let facts = try session.facts(of: server)
        if let objection = identity.objection(
            to: facts, shard: shard, server, session.servers.access.database),
            objection.kind == .stranger
        {
            throw objection
        }
        let schema = facts[EngineIdentity.Fact.schema.rawValue].flatMap { Int64($0) } ?? 0
        guard schema <= EngineMigration.newest else {
            throw EngineError(
                .stranger,
                "engine \(server.origin) has schema \(schema), and this program knows "
                    + "\(EngineMigration.newest) alone: use a newer one")
        }
        return schema
    }

    private func bringUp(
        _ server: ServerAddress, shard: Int, from schema: Int64, now: Int64
    ) throws(EngineError) {
        func change(_ statement: String, inDatabase: Bool = true) throws(EngineError) {
            _ = try session.send(
                .change(statement), to: server, shard: shard, needsTables: false,
                inDatabase: inDatabase)
        }
        try change("CREATE DATABASE IF NOT EXISTS \(access.database)", inDatabase: false)
        let syncs = try !session.send(
            .read(
                "SELECT name FROM system.merge_tree_settings WHERE name = 'fsync_after_insert'"),
            to: server, shard: shard, needsTables: false, inDatabase: false
        ).isEmpty
        let hasReplicas = access.shards[shard].count > 1
        if hasReplicas { try session.expectReplicated(server) }
        for step in EngineMigration.all where step.version > schema {
            let statements = step.statements(
                replicas: hasReplicas ? "/sojourn/\(shard + 1)" : nil, syncs: syncs)
            for statement in statements { try change(statement) }
            try record(
                [
                    ("step_\(step.version)", step.name),
                    (EngineIdentity.Fact.schema.rawValue, String(step.version)),
                    (EngineIdentity.Fact.keyCheck.rawValue, identity.keyCheck),
                    (EngineIdentity.Fact.shard.rawValue, identity.place(ofShard: shard)),
                ], at: server, shard: shard, now: now)
        }
    }

    private func record(
        _ facts: [(name: String, value: String)], at server: ServerAddress, shard: Int, now: Int64
    ) throws(EngineError) {
        var rows = RowBinary.Writer()
        for fact in facts {
            rows.string(fact.name)
            rows.uint64(UInt64(clamping: now))
            rows.string(fact.value)
        }
        _ = try session.send(
            .insert(rows.bytes, into: "meta", ["name", "version", "value"]), to: server,
            shard: shard, needsTables: false)
    }
}
