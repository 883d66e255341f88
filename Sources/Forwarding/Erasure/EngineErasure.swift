import Curl
import Database
import Engine
import Events
import Sealing
import Upkeep

/// Deletes what the engine's tables have of devices, on all replicas (docs/scale.md, Erasing, pruning, copies).
struct EngineErasure {
    /// Milliseconds between two looks at whether servers have done it, and for how long they may take.
    private static let pause: UInt32 = 100
    private static let patience: UInt32 = 600_000
    /// Receipts that one statement names.
    private static let atOnce = 100

    private let session: EngineSession
    private let polling: Polling

    init(_ session: EngineSession, _ polling: Polling) {
        (self.session, self.polling) = (session, polling)
    }

    /// Deletes what arrived of a device before a moment.
    /// - Parameter node: whose counts of arrivals alone go; nil: those of all nodes
    /// - Returns: why replicas have not done it yet: each does when it can
    func delete(
        _ device: DeviceHash, of app: String, before moment: Int64, node: String?
    ) throws(EngineError) -> [EngineError] {
        let shards = session.servers.access.shards.count
        let shard = DeviceKey(high: device.high, low: device.low).shard(of: shards)
        let whose =
            "app = \(EngineLiteral.text(app)) AND device = "
            + "toFixedString(\(EngineLiteral.text(device.bytes)), 16)"
        return try delete(
            batches: "\(whose) AND received_at < \(moment)",
            arrivals: "\(whose) AND quarter <= \(Self.quarter(of: moment))\(Self.only(node))",
            shard: shard)
    }

    /// The same of all devices that receipts name.
    func delete(_ receipts: [ErasureReceipt], node: String?) throws(EngineError) {
        try delete(receipts, arrivalsOf: Self.only(node))
    }

    /// Deletes batches of devices that receipts name, and no counts of arrivals.
    func deleteBatches(_ receipts: [ErasureReceipt]) throws(EngineError) {
        try delete(receipts, arrivalsOf: nil)
    }

    /// Receipts that are looked for with one question: some 4 MB of it.
    private static let lookedForAtOnce = 20_000

    /// Those of receipts of which the engine has something that is to go: of most it has nothing, and that is found
    /// out for many at once.
    func present(of receipts: [ErasureReceipt]) throws(EngineError) -> [ErasureReceipt] {
        var found: Set<ErasureReceipt> = []
        let servers = receipts.isEmpty ? [] : try CaughtUpReplicas.choose(session, polling)
        var rest = receipts[...]
        while !rest.isEmpty {
            let some = rest.prefix(Self.lookedForAtOnce)
            rest = rest.dropFirst(some.count)
            let moments = Dictionary(grouping: some) { $0.subject.bytes }
            let list = moments.keys.map { "toFixedString(\(EngineLiteral.text($0)), 32)" }
                .joined(separator: ", ")
            for (table, first) in [("batch", "received_at"), ("arrival", "quarter * 900000")] {
                let statement =
                    "SELECT d, min(t) FROM (SELECT \(Self.digest) AS d, toInt64(\(first)) AS t "
                    + "FROM \(table)) WHERE d IN (\(list)) GROUP BY d"
                for (shard, server) in servers.enumerated() {
                    let answer = try session.send(
                        .read(statement), to: server, shard: shard, timeout: Int(Self.patience))
                    var reader = RowBinary.Reader(answer)
                    do throws(RowBinary.Failure) {
                        while !reader.isAtEnd {
                            let subject = try reader.fixed(32)
                            let moment = try reader.int64()
                            for receipt in moments[subject] ?? [] where moment < receipt.moment {
                                found.insert(receipt)
                            }
                        }
                    } catch {
                        throw EngineError(error, from: server.origin)
                    }
                }
            }
        }
        return receipts.filter { found.contains($0) }
    }

    /// What a receipt calls the device of a row.
    private static let digest = "SHA256(concat(app, '\\x00', device))"

    /// - Parameter whose: a condition of counts of arrivals that go, too; nil: none goes
    private func delete(
        _ receipts: [ErasureReceipt], arrivalsOf whose: String?
    ) throws(EngineError) {
        var rest = receipts[...]
        while !rest.isEmpty {
            let some = rest.prefix(Self.atOnce)
            rest = rest.dropFirst(some.count)
            var batches: [String] = []
            var arrivals: [String] = []
            for receipt in some {
                let subject = EngineLiteral.text(receipt.subject.bytes)
                let isIt = "\(Self.digest) = toFixedString(\(subject), 32)"
                batches.append("(\(isIt) AND received_at < \(receipt.moment))")
                arrivals.append("(\(isIt) AND quarter <= \(Self.quarter(of: receipt.moment)))")
            }
            for shard in session.servers.access.shards.indices {
                try delete(
                    batches: batches.joined(separator: " OR "),
                    arrivals: whose.map { "(\(arrivals.joined(separator: " OR ")))" + $0 },
                    shard: shard)
            }
        }
    }

    private static func only(_ node: String?) -> String {
        node.map { " AND node = \(EngineLiteral.text($0))" } ?? ""
    }

    private static func quarter(of moment: Int64) -> Int64 { moment / 900_000 }

    @discardableResult
    private func delete(
        batches: String, arrivals: String?, shard: Int
    ) throws(EngineError) -> [EngineError] {
        for (table, condition) in [("batch", batches), ("arrival", arrivals)] {
            guard let condition else { continue }
            _ = try session.send(
                .change("ALTER TABLE \(table) DELETE WHERE \(condition)"), toShard: shard)
        }
        let replicas = session.servers.access.shards[shard]
        var failures: [EngineError] = []
        for server in replicas {
            do throws(EngineError) { try wait(for: server, shard: shard) } catch {
                failures.append(error)
                // Replicas that answer do not wait for one that is lost.
                guard error.isOfOneServer, failures.count < replicas.count else { throw error }
            }
        }
        return failures
    }

    /// Where the keeper has the tables of a server; none that nothing replicates.
    private func replicatedTables(
        of server: ServerAddress, shard: Int
    ) throws(EngineError) -> [(table: String, path: String)] {
        let answer = try session.send(
            .read(
                """
                SELECT table, zookeeper_path FROM system.replicas
                WHERE database = \(EngineLiteral.text(session.servers.access.database))
                    AND table IN ('batch', 'arrival')
                """), to: server, shard: shard)
        var reader = RowBinary.Reader(answer)
        var tables: [(table: String, path: String)] = []
        do throws(RowBinary.Failure) {
            while !reader.isAtEnd { tables.append((try reader.string(), try reader.string())) }
        } catch {
            throw EngineError(error, from: server.origin)
        }
        return tables
    }

    /// Until a server has carried out all deletions that it or its keeper knows of.
    private func wait(for server: ServerAddress, shard: Int) throws(EngineError) {
        let database = EngineLiteral.text(session.servers.access.database)
        var unfinished = [
            """
            SELECT toUInt8(count() > 0) FROM system.mutations
            WHERE database = \(database) AND table IN ('batch', 'arrival') AND is_done = 0
            """
        ]
        // A replica learns of them from its keeper, a little later.
        for (table, path) in try replicatedTables(of: server, shard: shard) {
            let mutations = EngineLiteral.text(path + "/mutations")
            unfinished.insert(
                """
                SELECT toUInt8(count() > 0) FROM system.zookeeper
                WHERE path = \(mutations) AND name NOT IN (SELECT mutation_id FROM system.mutations
                    WHERE database = \(database) AND table = \(EngineLiteral.text(table)))
                """, at: 0)
        }
        let isDone: Bool? = try polling.first(every: Self.pause, for: Self.patience) {
            () throws(EngineError) -> Bool? in
            for statement in unfinished {
                if try session.send(.read(statement), to: server, shard: shard) == [1] {
                    return nil
                }
            }
            return true
        }
        guard isDone == nil else { return }
        throw EngineError(
            .timeout,
            "engine \(server.origin) has not deleted what it was told to for ten minutes: "
                + "look at its system.mutations")
    }
}
