import Curl

/// What the tables of an engine say of themselves in `meta`, and what a node expects of them (docs/scale.md, One cluster).
package struct EngineIdentity: Sendable, Equatable {
    /// By which nodes of another master key are recognised, in hex.
    package let keyCheck: String
    /// The schema that this program knows.
    package let schema: Int64
    /// How many shards there are.
    package let shards: Int

    package init(keyCheck: String, schema: Int64, shards: Int) {
        self.keyCheck = keyCheck
        self.schema = schema
        self.shards = shards
    }

    /// The names of its rows in `meta`.
    package enum Fact: String, CaseIterable, Sendable {
        case schema
        case keyCheck = "master_key_check"
        case shard
    }

    /// `1/2`: the place of a shard among all.
    /// - Parameter shard: from 0
    package func place(ofShard shard: Int) -> String { "\(shard + 1)/\(shards)" }

    /// What of an engine's facts is not as it should be.
    /// - Parameters:
    ///   - facts: the values of `meta` by name
    ///   - shard: the one that it should be, from 0
    ///   - server, database: where they are, for the message
    func objection(
        to facts: [String: String], shard: Int, _ server: ServerAddress, _ database: String
    ) -> EngineError? {
        let origin = server.origin
        if let check = facts[Fact.keyCheck.rawValue], check != keyCheck {
            return EngineError(
                .stranger,
                "engine \(origin) belongs to another master key: all nodes need the same master.key"
            )
        }
        if let place = facts[Fact.shard.rawValue], place != self.place(ofShard: shard) {
            return EngineError(
                .stranger,
                "engine \(origin) is shard \(place), and forward-to has it as "
                    + "\(self.place(ofShard: shard)): name all shards, in the order in which they were made"
            )
        }
        if facts.isEmpty {
            return EngineError(
                .schema,
                "engine \(origin) has no tables of Sojourn in database \(database): look at "
                    + "forward-database; if it is right, run 'sojourn migrate --engine'")
        }
        let found = facts[Fact.schema.rawValue].flatMap { Int64($0) } ?? 0
        guard facts.count >= Fact.allCases.count, found >= schema else {
            return EngineError(
                .schema,
                "engine \(origin) has schema \(found), and this program needs \(schema): "
                    + "run 'sojourn migrate --engine'")
        }
        return nil
    }
}
