import Database
import Engine
import EngineTestSupport
import Events
import Forwarding
import Query
import StoreTestSupport
import Synchronization
import TestSupport

@testable import Storage
@testable import Upkeep

/// Nodes of one engine, and beside them one node that gets everything, all with real databases.
final class PrunedNodes {
    /// A node's database, and how far it is handed over.
    final class Node {
        let name: String
        let store: Store
        private let folder = TemporaryFolder()
        var mark: Int64 = 0
        /// Units that were handed over once, to be inserted again.
        var units: [[SpoolUnit.Shard]] = []

        init(_ name: String, _ clock: Clock, timeout: Int64, zone: String) throws {
            self.name = name
            var options = folder.options
            options.now = { clock.now.load(ordering: .relaxed) }
            options.limits.notesChanges = true
            store = try Store.open(options)
            _ = try store.registry.addApp(
                "shop", AppChange(timeZone: zone, sessionTimeout: timeout))
        }
    }

    final class Clock: Sendable {
        let now = Atomic<Int64>(noon)
    }

    let clock = Clock()
    let nodes: [Node]
    /// The one that gets everything.
    let alone: Node
    let engine: TestEngine
    let app: QueryApp

    init(_ engine: TestEngine, timeout: Int64, zone: String) throws {
        self.engine = engine
        nodes = [
            try Node("a", clock, timeout: timeout, zone: zone),
            try Node("b", clock, timeout: timeout, zone: zone),
        ]
        alone = try Node("alone", clock, timeout: timeout, zone: zone)
        app = QueryApp(id: 1, name: "shop", timeZone: zone, sessionTimeout: timeout)
        try engine.clear()
        _ = try engine.session.send(.change("TRUNCATE TABLE registry"), toShard: 0)
    }

    struct Unstored: Error {}

    /// Moves the clock of all.
    func set(_ now: Int64) { clock.now.store(now, ordering: .relaxed) }

    /// Stores batches as they arrive, each at a node or both, and all at the one.
    func store(_ batches: [SentBatch], _ random: inout SplitMix) throws {
        var arrivals: [(batch: SentBatch, node: Int)] = []
        for batch in batches {
            var batch = batch
            batch.repeats = []
            batch.key = nil
            let node = random.next(nodes.count)
            arrivals.append((batch, node))
            guard random.oneIn(3) else { continue }
            var copy = batch
            copy.receivedAt += Int64(1 + random.next(3)) * random.pick([1, hour])
            let shift = random.pick([0, 1, hour])
            for event in copy.events.indices { copy.events[event].time += shift }
            copy.bytes += 7
            arrivals.append((copy, 1 - node))
        }
        arrivals.sort { $0.batch.receivedAt < $1.batch.receivedAt }
        for (batch, node) in arrivals {
            let accepted = try AcceptedBatch(batch, app: 1)
            guard nodes[node].store.writer.storeAlone(accepted) != nil,
                alone.store.writer.storeAlone(accepted) != nil
            else { throw Unstored() }
        }
    }

    /// Hands over what a node has not handed over, and keeps it for later.
    func handOver(_ node: Node, _ random: inout SplitMix) throws {
        let reader = try node.store.reader()
        let spool = try SpoolReader(node.store.reader(), node: node.name)
        var size = SpoolUnit.Limit()
        size.batches = 1 + random.next(20)
        while let unit = try spool.unit(
            after: node.mark, shards: engine.reading.shards, number: 1,
            prunedTo: try reader.prunedDay() * day, size)
        {
            node.mark = unit.lastBatch
            node.units.append(unit.shards)
            try insert(unit.shards)
        }
        let sums = try SpoolCountReader(reader, node: node.name)
        let counts = try sums.counts(upTo: node.mark, shards: engine.reading.shards)
        for (shard, rows) in counts.arrivals.enumerated() {
            try engine.insert(rows.bytes, into: "arrival", ArrivalRow.columns, shard: shard)
        }
    }

    func insert(_ shards: [SpoolUnit.Shard]) throws {
        for (shard, rows) in shards.enumerated() {
            try engine.insert(
                rows.arrivals.bytes, into: "arrival", ArrivalRow.columns, shard: shard)
            try engine.insert(rows.batches.bytes, into: "batch", BatchRow.columns, shard: shard)
        }
    }

    /// Prunes all nodes from one of them, and not yet any spool.
    func prune(before limit: Int64, at node: Node) throws -> SharedPrune.Outcome {
        try SharedPrune(node.store, engine.session, node: node.name).run(
            before: limit, at: clock.now.load(ordering: .relaxed), handsOver: false,
            announce: { _ in })
    }

    /// Prunes a node's spool as the engine is.
    @discardableResult
    func pruneSpool(_ node: Node) throws -> Pruned? {
        guard let limit = try SharedPruneLimit(engine.session, node: node.name).last() else {
            return nil
        }
        return try SpoolPrune(node.store, engine.session).run(limit)
    }
}
