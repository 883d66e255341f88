import Engine
import EngineQuery
import EngineTestSupport
import Events
import Foundation
import Query
import StoreTestSupport
import TestSupport
import Testing
import TimeZones

/// The law (docs/scale.md): what the engine answers is what one node with one database answers.
@Suite(
    "the engine answers as one node does", .tags(.long),
    .enabled(if: !TestEngine.addresses.isEmpty, "no engines in SOJOURN_TEST_ENGINES"), .serialized)
struct EqualityTests {
    /// How many populations each cluster gets: `SOJOURN_TEST_ROUNDS`.
    private static let rounds =
        ProcessInfo.processInfo.environment["SOJOURN_TEST_ROUNDS"].flatMap { Int($0) } ?? 2
    private static let firstSeed =
        ProcessInfo.processInfo.environment["SOJOURN_TEST_SEED"].flatMap { UInt64($0) } ?? 1
    /// Questions of each kind to a population.
    private static let questions = 3

    private static func scope(
        of app: QueryApp, _ zone: TimeZoneRules, _ random: inout SplitMix, isFiltered: Bool = true
    ) throws -> QueryScope {
        let other = try TimeZoneRules(name: random.pick(Population.zones))
        let zone = random.oneIn(2) ? zone : other
        let from = CivilDate(number: 20_540 - random.next(50))
        let to = from.adding(days: random.pick([0, 1, 9, 30, 60, 120]))
        let now = noon + Int64(random.next(10) - 5) * random.pick([day, hour, 60_000])
        var values = [[ByteText]](repeating: [], count: ResourceFilter.dimensions.count)
        if isFiltered, random.oneIn(3) {
            values[0] = [random.pick(["iOS", "unknown", "é"]), "Android"].map { ByteText($0) }
        }
        if isFiltered, random.oneIn(6) {
            values[1 + random.next(3)] = [ByteText(random.pick(["1", "unknown", "", "5.1", "m"]))]
        }
        return QueryScope(
            app: app, now: now, zone: zone, today: zone.day(at: now), from: from, to: to,
            filter: ResourceFilter(values: values))
    }

    @Test("every question", arguments: TestEngine.clusters)
    func equal(cluster: [String]) throws {
        let engine = try TestEngine(
            cluster, database: "equal")
        defer { engine.remove() }
        var asked = [Int](repeating: 0, count: Asked.kinds)
        for round in 0..<Self.rounds {
            let seed = Self.firstSeed &* 1000 + UInt64(round)
            var random = SplitMix(seed: seed)
            let zone = try TimeZoneRules(name: random.pick(Population.zones))
            let population = Population(&random, zone: zone)
            try engine.clear()
            let both = try HandedOver(
                population, &random, zone: zone.name, timeout: 600_000, to: engine)
            // Mostly so small that shards are asked again.
            var portions = EnginePortions()
            portions.names = random.pick([1, 2, portions.names])
            portions.values = random.pick([0, 5, portions.values])
            let queries = EngineQueries(engine.reading, Interruption(), portions)
            for kind in 0..<Asked.kinds {
                for _ in 0..<Self.questions {
                    let scope = try Self.scope(of: both.store.app, zone, &random)
                    let question = Asked.random(kind, &random)
                    let wanted = try question.answer(
                        scope, SegmentQueries(both.store.connection))
                    let filter = scope.filter.values.map { $0.map(\.string) }
                    let comment: Comment = """
                        seed \(seed), \(question), \(scope.from.text) to \(scope.to.text), \
                        \(scope.zone.name), \(filter)
                        """
                    do {
                        let found = try question.answer(scope, queries)
                        #expect(found == wanted, comment)
                    } catch {
                        Issue.record("\(error): \(comment)")
                    }
                    asked[kind] += 1
                }
            }
        }
        print("questions equal or reported, by kind: \(asked), \(cluster.count) shards")
    }

    /// Of those whose answers hang on the order of events of one millisecond: those by which filters count.
    private static let tied = [1, 2, 3, 10, 11, 12, 13, 14, 14, 14]

    @Test("ties of one millisecond, told apart by filters", arguments: TestEngine.clusters)
    func ties(cluster: [String]) throws {
        let engine = try TestEngine(
            cluster, database: "ties")
        defer { engine.remove() }
        for round in 0..<Self.rounds {
            let seed = 900_000 + Self.firstSeed &* 1000 + UInt64(round)
            var random = SplitMix(seed: seed)
            let zone = try TimeZoneRules(name: random.pick(Population.zones))
            let population = Population(&random, zone: zone, crowded: true)
            try engine.clear()
            let both = try HandedOver(
                population, &random, zone: zone.name, timeout: 600_000, to: engine)
            let app = both.store.app
            for kind in Self.tied {
                var values = [[ByteText]](repeating: [], count: ResourceFilter.dimensions.count)
                values[0] = [random.pick(["iOS", "unknown", "é"]), "Android"].map { ByteText($0) }
                let scope = QueryScope(
                    app: app, now: noon, zone: zone, today: zone.day(at: noon),
                    from: CivilDate(number: 20_530), to: CivilDate(number: 20_550),
                    filter: ResourceFilter(values: values))
                let question = Asked.random(kind, &random)
                let wanted = try question.answer(scope, SegmentQueries(both.store.connection))
                let found = try question.answer(scope, EngineQueries(engine.reading))
                #expect(found == wanted, "seed \(seed), \(question)")
            }
        }
    }

    @Test("exports and records of devices", arguments: TestEngine.clusters)
    func lines(cluster: [String]) throws {
        let engine = try TestEngine(
            cluster, database: "lines")
        defer { engine.remove() }
        var (exports, records) = (0, 0)
        for round in 0..<Self.rounds {
            let seed = 500_000 + Self.firstSeed &* 1000 + UInt64(round)
            var random = SplitMix(seed: seed)
            let zone = try TimeZoneRules(name: random.pick(Population.zones))
            let population = Population(&random, zone: zone, crowded: round % 2 == 1)
            try engine.clear()
            let both = try HandedOver(
                population, &random, zone: zone.name, timeout: 600_000, to: engine)
            let (alone, queries) = (
                SegmentQueries(both.store.connection), EngineQueries(engine.reading)
            )
            var cursors: [EventCursor] = []
            for _ in 0..<4 {
                let scope = try Self.scope(of: both.store.app, zone, &random)
                cursors.append(EventCursor(scope))
            }
            for name in Set(population.batches.map(\.device)).sorted().prefix(4) + ["nobody"] {
                let hash = try #require(DeviceHash(TestStore.hash(of: name)))
                #expect(
                    try queries.hasDevice(hash, of: both.store.app)
                        == alone.hasDevice(hash, of: both.store.app), "seed \(seed)")
                #expect(
                    try queries.device(hash, of: both.store.app)
                        == alone.device(hash, of: both.store.app), "seed \(seed), \(name)")
                records += 1
                let scope = try Self.scope(of: both.store.app, zone, &random, isFiltered: false)
                cursors.append(EventCursor(of: hash, in: both.store.app))
                cursors.append(EventCursor(of: hash, in: both.store.app, scope))
            }
            for (number, var cursor) in cursors.enumerated() {
                let wanted = try EventLines.all(cursor, limit: 1000, alone)
                let limit = random.pick([1, 3, 20, 1000])
                for resuming in number > 0 && limit < 20 ? [false] : [false, true] {
                    let found = try EventLines.all(
                        cursor, limit: limit, queries, resuming: resuming)
                    #expect(found.lines == wanted.lines, "seed \(seed), \(limit) a page")
                    #expect(found.faults.isEmpty, "seed \(seed)")
                    #expect(found.last == wanted.last, "seed \(seed)")
                }
                exports += 1
                // From the middle on.
                let some = try EventLines.next(
                    &cursor, limit: max(1, wanted.lines.count / 2), alone)
                cursor.ahead = nil
                cursor.isDone = false
                let rest = try EventLines.all(cursor, limit: limit, queries)
                #expect(rest.lines == Array(wanted.lines.dropFirst(some.count)))
            }
        }
        print("\(exports) exports and \(records) records, \(cluster.count) shards")
    }
}
