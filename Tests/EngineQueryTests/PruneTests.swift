import Engine
import EngineQuery
import EngineTestSupport
import Events
import Forwarding
import Foundation
import Query
import StoreTestSupport
import TestSupport
import Testing
import TimeZones

@testable import Storage
@testable import Upkeep

/// The law (docs/scale.md) of prunes: what is left of what several nodes have is what one node with all of it
/// leaves, whatever is handed over again by whom.
@Suite(
    "pruned nodes answer as one pruned node does", .tags(.long),
    .enabled(if: !TestEngine.addresses.isEmpty, "no engines in SOJOURN_TEST_ENGINES"), .serialized)
struct PruneTests {
    private static let rounds =
        ProcessInfo.processInfo.environment["SOJOURN_TEST_ROUNDS"].flatMap { Int($0) } ?? 1
    private static let firstSeed =
        ProcessInfo.processInfo.environment["SOJOURN_TEST_SEED"].flatMap { UInt64($0) } ?? 1
    private static let timeout: Int64 = 600_000

    private func expectEqual(
        _ nodes: PrunedNodes, _ zone: TimeZoneRules, _ random: inout SplitMix, _ comment: Comment
    ) throws {
        let now = nodes.clock.now.load(ordering: .relaxed)
        let alone = SegmentQueries(try nodes.alone.store.reader())
        let queries = EngineQueries(nodes.engine.reading)
        func scope() -> QueryScope {
            let from = CivilDate(number: 20_540 - random.next(60))
            return QueryScope(
                app: nodes.app, now: now, zone: zone, today: zone.day(at: now), from: from,
                to: from.adding(days: random.pick([0, 1, 9, 30, 60, 120])),
                filter: ResourceFilter(
                    values: [random.oneIn(4) ? [ByteText("iOS")] : [], [], [], []]))
        }
        for kind in 0..<Asked.kinds {
            for _ in 0..<2 {
                let scope = scope()
                let question = Asked.random(kind, &random)
                let wanted = try question.answer(scope, alone)
                let found = try question.answer(scope, queries)
                #expect(
                    found == wanted,
                    "\(comment): \(question), \(scope.from.text) to \(scope.to.text)")
            }
        }
        let all = EventCursor(scope())
        #expect(
            try EventLines.all(all, limit: 1000, queries).lines
                == EventLines.all(all, limit: 1000, alone).lines, comment)
        for device in 0..<9 {
            let hash = try #require(DeviceHash(TestStore.hash(of: "d\(device)")))
            let own = EventCursor(of: hash, in: nodes.app)
            let wanted = try EventLines.all(own, limit: 1000, alone).lines
            #expect(
                try EventLines.all(own, limit: 1000, queries).lines == wanted,
                "\(comment): d\(device)")
            let record = try queries.device(hash, of: nodes.app)
            #expect(try record == alone.device(hash, of: nodes.app), "\(comment): d\(device)")
        }
    }

    @Test("two prunes, and everything handed over again", arguments: TestEngine.clusters)
    func equal(cluster: [String]) throws {
        let engine = try TestEngine(
            cluster, database: "prune")
        var (gone, spared) = (Int64(0), 0)
        for round in 0..<Self.rounds {
            let seed = 700_000 + Self.firstSeed &* 1000 + UInt64(round)
            var random = SplitMix(seed: seed)
            let zone = try TimeZoneRules(name: random.pick(Population.zones))
            let nodes = try PrunedNodes(engine, timeout: Self.timeout, zone: zone.name)
            let population = Population(&random, zone: zone)
            try nodes.store(population.batches, &random)
            for node in nodes.nodes { try nodes.handOver(node, &random) }
            let times = population.batches.flatMap { $0.events.map(\.time) }.sorted()
            var limit = (times.isEmpty ? noon : random.pick(times)) + Int64(random.next(3) - 1)
            for number in 0..<2 {
                let comment: Comment = "seed \(seed), prune \(number)"
                // Now and then so soon that sessions are open still.
                nodes.set(limit + random.pick([1, 60_000, Self.timeout, hour, 30 * day]))
                let old = nodes.nodes.flatMap(\.units)
                let outcome = try nodes.prune(before: limit, at: random.pick(nodes.nodes))
                let wanted = try nodes.alone.store.prune(before: limit)
                #expect(outcome.events == wanted.events, comment)
                #expect(wanted.isWhole)
                gone += outcome.events
                try expectEqual(nodes, zone, &random, comment)
                // A copy from before, however late it comes.
                for unit in old where random.oneIn(2) { try nodes.insert(unit) }
                try expectEqual(nodes, zone, &random, "\(comment), with copies from before")
                var order = nodes.nodes
                random.shuffle(&order)
                for node in order {
                    let before = try events(node)
                    try nodes.pruneSpool(node)
                    let left = try events(node)
                    #expect(left <= before)
                    spared += left
                    node.mark = 0
                    try nodes.handOver(node, &random)
                    if random.oneIn(2) { for unit in old.prefix(3) { try nodes.insert(unit) } }
                }
                try expectEqual(nodes, zone, &random, "\(comment), handed over again")
                // What comes later: nothing from before the limit.
                var later = Population(&random, zone: zone).batches
                for index in later.indices {
                    later[index].id += "-\(number)"
                    later[index].receivedAt += Int64(number + 1) * 100 * day
                    for event in later[index].events.indices {
                        let time = later[index].events[event].time
                        later[index].events[event].time = max(time, limit + Int64(random.next(3)))
                    }
                }
                try nodes.store(later, &random)
                random.shuffle(&order)
                for node in order { try nodes.handOver(node, &random) }
                try expectEqual(nodes, zone, &random, "\(comment), and more")
                limit += random.pick([1, hour, day, 9 * day])
            }
        }
        #expect(gone > 0 && spared > 0)
        print("\(gone) events pruned, \(cluster.count) shards")
    }

    private func events(_ node: PrunedNodes.Node) throws -> Int {
        Int(try node.store.reader().integers("SELECT count(*) FROM event").first ?? 0)
    }
}
