import Engine
import EngineQuery
import EngineTestSupport
import Events
import Forwarding
import Foundation
import Query
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Storage
@testable import Upkeep

/// Prunes while nodes are behind, or cut off.
@Suite(
    "prunes of nodes that are behind", .tags(.long),
    .enabled(if: !TestEngine.addresses.isEmpty, "no engines in SOJOURN_TEST_ENGINES"), .serialized)
struct PrunedBacklogTests {
    private static let timeout: Int64 = 600_000

    private func nodes(_ cluster: [String]) throws -> PrunedNodes {
        let engine = try TestEngine(
            cluster, database: "behind")
        return try PrunedNodes(engine, timeout: Self.timeout, zone: "UTC")
    }

    private func batch(
        _ id: String, _ events: [(time: Int64, session: String?)], at arrival: Int64 = noon + day
    ) throws -> AcceptedBatch {
        try AcceptedBatch(
            SentBatch(
                device: "d", id: id, receivedAt: arrival,
                events: events.map { SentEvent("p", $0.time, $0.session) }), app: 1)
    }

    /// What the engine has, as `batch|index`.
    private func left(_ nodes: PrunedNodes) throws -> [String] {
        let answer = try nodes.engine.session.sendToAll(
            .read(
                """
                SELECT concat(batch_id, '|', toString(place)) FROM batch FINAL
                ARRAY JOIN event.place AS place
                """))
        var left: [String] = []
        for bytes in answer {
            var reader = RowBinary.Reader(bytes)
            while !reader.isAtEnd { left.append(try reader.string()) }
        }
        return left.sorted()
    }

    @Test(
        "what was not handed over goes before it is, but for sessions that go on elsewhere",
        arguments: TestEngine.clusters)
    func behind(cluster: [String]) throws {
        let nodes = try nodes(cluster)
        var random = SplitMix(seed: 1)
        let (a, b) = (nodes.nodes[0], nodes.nodes[1])
        nodes.set(noon + 2 * day)
        // `s` goes on at the other node; `t` has ended; `u` has ended there and began here.
        let there = try batch("a", [(noon + hour, "s"), (noon - hour, "u"), (noon - 2, "v")])
        let here = try batch(
            "b",
            [
                (noon - 1, "s"), (noon - 1, "t"), (noon - 2 * hour, "u"), (noon - 1, nil),
                (noon, nil),
            ])
        #expect(a.store.writer.storeAlone(there) == .stored)
        #expect(b.store.writer.storeAlone(here) == .stored)
        try nodes.handOver(a, &random)
        let outcome = try nodes.prune(before: noon, at: a)
        #expect(outcome.events == 2 && outcome.limit.before == noon)
        #expect(try left(nodes) == ["a|0"])
        #expect(try nodes.pruneSpool(b)?.events == 3)
        try nodes.handOver(b, &random)
        #expect(try left(nodes) == ["a|0", "b|0", "b|4"])
        // Both see the whole session now, and nothing changes any more.
        try nodes.pruneSpool(a)
        for node in [b, a] {
            node.mark = 0
            try nodes.handOver(node, &random)
            for unit in node.units { try nodes.insert(unit) }
        }
        #expect(try left(nodes) == ["a|0", "b|0", "b|4"])
        #expect(try nodes.pruneSpool(a) == nil)
    }

    @Test("one that was cut off is ended by the next", arguments: TestEngine.clusters)
    func cutOff(cluster: [String]) throws {
        let nodes = try nodes(cluster)
        var random = SplitMix(seed: 1)
        let (a, b) = (nodes.nodes[0], nodes.nodes[1])
        nodes.set(noon + 2 * day)
        #expect(
            try a.store.writer.storeAlone(batch("a", [(noon - 1, "s"), (noon + 1, nil)])) == .stored
        )
        try nodes.handOver(a, &random)
        let limits = SharedPruneLimit(nodes.engine.session, node: "a")
        let stopped = Mutex(false)
        let servers = nodes.engine.servers
        let session = try EngineSession(servers) { () throws(EngineError) in
            if stopped.withLock({ $0 }) { throw EngineError(.interrupted, "cut") }
        }
        #expect(throws: ForwardingError.self) {
            try SharedPrune(a.store, session, node: "a").run(
                before: noon, at: noon + 2 * day, handsOver: false,
                announce: { _ in stopped.withLock { $0 = true } })
        }
        let announced = try #require(try limits.last())
        #expect(!announced.isDone && announced.before == noon)
        // Nobody deletes anything, and the limit is known.
        #expect(try nodes.pruneSpool(a) == nil)
        #expect(try a.store.pruneFloor()?.limit == noon && left(nodes) == ["a|0", "a|1"])
        // Another node's, by a smaller limit.
        let outcome = try nodes.prune(before: noon - 5, at: b)
        #expect(outcome.events == 1 && outcome.limit.limit == noon)
        #expect(outcome.limit.day > announced.day)
        #expect(try nodes.pruneSpool(a)?.events == 1)
        #expect(try left(nodes) == ["a|1"])
        let last = try #require(try limits.last())
        #expect(last == outcome.limit && last.isDone && last.node == "b")
        // A smaller limit after that is one of its own, and the greatest stays.
        let smaller = try nodes.prune(before: noon - 5, at: a)
        #expect(
            smaller.events == 0 && smaller.limit.limit == noon - 5 && smaller.limit.before == noon)
    }

    @Test(
        "a forwarder learns of it, prunes its spool, and is waited for",
        arguments: TestEngine.clusters)
    func forwarder(cluster: [String]) throws {
        let nodes = try nodes(cluster)
        let (a, b) = (nodes.nodes[0], nodes.nodes[1])
        nodes.set(noon + 2 * day)
        let limited = Mutex<[Int64]>([])
        let pruned = Mutex<[Pruned]>([])
        var observer = ForwarderObserver()
        observer.limited = { limit in limited.withLock { $0.append(limit.limit) } }
        observer.pruned = { one in pruned.withLock { $0.append(one) } }
        let options = ForwarderOptions(node: "b", interval: 50) {
            Int64(Date().timeIntervalSince1970 * 1000)
        }
        let forwarder = Forwarder(b.store, to: nodes.engine.servers, options, observer: observer)
        forwarder.start()
        defer { forwarder.close() }
        #expect(
            try b.store.writer.storeAlone(
                batch("b", [(noon - 1, "s"), (noon - 1, nil), (noon, nil)]))
                == .stored)
        #expect(eventually { (try? self.left(nodes).count) == 3 })
        // Without an answer to whether it is handed over: the prune waits for that.
        #expect(
            try b.store.writer.storeAlone(batch("c", [(noon - 1, "s"), (noon + 1, "s")])) == .stored
        )
        #expect(try nodes.prune(before: noon, at: a).events == 1)
        #expect(try left(nodes) == ["b|0", "b|2", "c|0", "c|1"])
        #expect(eventually { pruned.withLock { $0.count } == 1 })
        #expect(pruned.withLock { $0.map(\.events) } == [1])
        #expect(limited.withLock { $0.contains(noon) })
        #expect(
            eventually {
                (try? b.store.reader().rows("SELECT count(*) FROM event")) == ["4"]
                    && forwarder.figures.waitingBatches == 0
            })
        #expect(try left(nodes) == ["b|0", "b|2", "c|0", "c|1"])
    }

    @Test("versions of rows that were pruned in place", arguments: TestEngine.clusters)
    func versions(cluster: [String]) throws {
        let engine = try TestEngine(
            cluster, database: "versions")
        let moment: Int64 = 1_763_700_000_000
        for (known, day, wanted) in [
            (0, 20_000, 20_000), (20_001, 20_000, 20_001), (20_000, 20_000, 20_000),
            (3, 1 << 20, 65_535),
        ] as [(Int64, Int64, Int64)] {
            let version = RowVersion.ofBatch(
                receivedAt: moment, prunedTo: known * StoreTestSupport.day, node: 7)
            let answer = try engine.session.send(
                .read(
                    """
                    SELECT toUInt64(\(RowVersion.prunedInPlaceSQL(day: day))) FROM
                    (SELECT toUInt64(\(version)) AS version)
                    """), toShard: 0)
            var reader = RowBinary.Reader(answer)
            let found = try reader.uint64()
            #expect(
                found
                    == RowVersion.ofBatch(
                        receivedAt: moment, prunedTo: wanted * StoreTestSupport.day,
                        node: RowVersion.prunedInPlace))
        }
    }
}
