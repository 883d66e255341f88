import Curl
import Engine
import Foundation

/// Servers that tests may use, as shards of one database that a test has for itself.
package struct TestEngine {
    /// Asks the servers, on one thread.
    package let session: EngineSession
    /// Reads as a report does.
    package let reading: EngineReading
    /// What is known of them.
    package let servers: EngineServers

    /// Addresses of servers: `SOJOURN_TEST_ENGINES`, with spaces between. Without it these tests are skipped.
    package static let addresses: [String] =
        (ProcessInfo.processInfo.environment["SOJOURN_TEST_ENGINES"] ?? "")
        .split(separator: " ").map(String.init)

    /// Each server alone, and all of them as shards.
    package static let clusters: [[String]] =
        addresses.map { [$0] } + (addresses.count > 1 ? [addresses] : [])

    /// An empty database.
    /// - Parameter name: of the database, with this process's id after it
    package init(_ addresses: [String], database name: String) throws {
        let database = "\(name)_\(ProcessInfo.processInfo.processIdentifier)"
        let access = EngineAccess(
            shards: try EngineAccess.shards(parsing: addresses), user: "sojourn",
            password: "pass word+&=%", database: database, timeout: 60_000)
        let identity = EngineIdentity(
            keyCheck: "0", schema: EngineMigration.newest, shards: addresses.count)
        servers = EngineServers(access, identity: nil)
        session = try EngineSession(servers)
        for (shard, server) in access.shards.enumerated() {
            _ = try session.send(
                .change("DROP DATABASE IF EXISTS \(database)"), to: server[0], shard: shard,
                needsTables: false, inDatabase: false)
        }
        _ = try EngineMaker(session, identity).run(now: 1)
        reading = try EngineReading(servers, timeout: 600_000, isUnwanted: { false })
    }

    /// Takes the database away.
    package func remove() { try? change("DROP DATABASE IF EXISTS \(servers.access.database)") }

    /// Takes all rows away.
    package func clear() throws {
        for table in ["batch", "arrival", "refusal"] {
            try change("TRUNCATE TABLE \(table)")
        }
    }

    /// Has every shard carry out a statement.
    package func change(_ statement: String) throws {
        _ = try session.sendToAll(.change(statement))
    }

    /// Inserts rows into a table of a shard.
    package func insert(
        _ rows: [UInt8], into table: String, _ columns: [String], shard: Int
    ) throws {
        if rows.isEmpty { return }
        _ = try session.send(.insert(rows, into: table, columns), toShard: shard)
    }

    /// The ids of the batches that count, on all shards, in their order.
    package func stored() throws -> [String] {
        var ids: [String] = []
        for answer in try session.sendToAll(.read("SELECT batch_id FROM batch FINAL")) {
            var reader = RowBinary.Reader(answer)
            while !reader.isAtEnd { ids.append(try reader.string()) }
        }
        return ids.sorted()
    }
}
