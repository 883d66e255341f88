import Engine
import EngineQuery
import Forwarding
import HTTP1
import Query

/// What `Sojourn-Complete-To` says: an answer has all that any node answered 200 before a moment (docs/scale.md,
/// Reports). It is told before the answer is made, and holds if the same servers have made it, and none of them was
/// started meanwhile.
struct Pledge: Sendable {
    /// Milliseconds since 1970 by the engine's clock.
    let completeTo: Int64
    /// The servers that keep it.
    let starts: [EngineReading.Start]

    /// As `Sojourn-Complete-To`.
    var field: HeaderField { HeaderField("Sojourn-Complete-To", String(completeTo)) }
}

extension Pledge {
    /// Milliseconds by which a start may be later than it seems, since clocks tell whole seconds.
    private static let slack: Int64 = 3_000

    /// Nil where it cannot be told.
    /// - Parameter seen: which nodes were named before; nil: that is not known
    init?(
        _ reading: EngineReading, _ servers: EngineServers, _ seen: SeenNodes? = nil
    ) throws(QueryError) {
        do throws(EngineError) {
            let starts = try reading.starts()
            guard let completeTo = try Self.completeTo(reading, servers, starts, seen) else {
                return nil
            }
            (self.completeTo, self.starts) = (completeTo, starts)
        } catch {
            throw QueryError(error)
        }
    }

    private static func completeTo(
        _ reading: EngineReading, _ servers: EngineServers, _ starts: [EngineReading.Start],
        _ seen: SeenNodes?
    ) throws(EngineError) -> Int64? {
        // Before the table of nodes: a node that is here has taken back there what a server may have lost.
        let alive = try reading.read(AliveTable.statement)
        let answer = try reading.read(NodeTable.statement, shard: NodeTable.shard)
        guard let entries = try? NodeTable.entries(answer) else { return nil }
        if let seen, !seen.isComplete(entries) { return nil }
        let counted = entries.filter { !$0.isRetired }
        for (shard, replicas) in servers.access.shards.enumerated() {
            if replicas.count == 1 {
                let names = try? AliveTable.names(alive[shard])
                guard let names, names.isSuperset(of: counted.map(\.name)) else { return nil }
                continue
            }
            // After the question before: what that has seen, each replica has then.
            let isCaughtUp = try ReplicaState.isCaughtUp(servers.access) {
                (statement) throws(EngineError) in try reading.read(statement, shard: shard)
            }
            guard isCaughtUp else { return nil }
            // It lacks nothing that another has. What all have lost, nodes that have looked since have handed over
            // again, or have taken back how far they are.
            let settled = starts[shard].moment * 1000 + slack
            guard counted.allSatisfy({ $0.lastSeen > settled }) else { return nil }
        }
        return NodeTable.completeTo(entries)
    }

    /// The same if what was read since was of the same servers, and nil if not.
    func kept(by reading: EngineReading) throws(QueryError) -> Pledge? {
        do throws(EngineError) {
            let now = try reading.starts()
            let isSame = zip(starts, now).allSatisfy { $0.isSame(as: $1) }
            return isSame && !reading.hasMoved ? self : nil
        } catch {
            if error.kind == .interrupted { throw QueryError(error) }
            return nil
        }
    }
}

extension Pledge? {
    /// Nil as well where nothing was said.
    func kept(by reading: EngineReading) throws(QueryError) -> Pledge? {
        guard let self else { return nil }
        return try self.kept(by: reading)
    }
}
