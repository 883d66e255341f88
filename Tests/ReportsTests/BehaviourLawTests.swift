import Query
import Reports
import StoreTestSupport
import TestSupport
import Testing
import TimeZones

@Suite("The law of reports about staying and doing")
struct BehaviourLawTests {
    /// A small population of `seed`, in which everything happens that makes these reports differ.
    /// - Parameter isCrowded: within a few milliseconds, so that all but the order of ids is equal
    static func population(
        _ random: inout SplitMix, zone: TimeZoneRules, isCrowded: Bool = false
    ) -> [SentBatch] {
        let devices = 1 + random.next(5)
        let midnight = zone.window(
            from: CivilDate(number: 20_540), to: CivilDate(number: 20_540)
        ).lowerBound
        var used: Set<String> = []
        return (0..<(1 + random.next(16))).compactMap { _ in
            let device = "d\(random.next(devices))"
            let id = random.pick(["a", "B", "_", ":", "1"]) + "\(random.next(9))"
            guard used.insert(device + "/" + id).inserted else { return nil }
            let far = isCrowded ? [0, 1] : [0, 1, hour, day, 13 * day]
            let steps =
                isCrowded ? [0, 0, 1] : [0, 0, 0, 1, 1000, 60_000, hour, -hour, day, 3 * day]
            var time = midnight + Int64(random.next(isCrowded ? 2 : 9) - 4) * random.pick(far)
            let events = (0..<random.next(8)).map { _ in
                time += random.pick(steps)
                return event(&random, time)
            }
            return SentBatch(
                device: device, id: id,
                resource: [
                    "os.name": random.pick(["iOS", "Android", ""]),
                    "os.version": random.pick(["1", ""]),
                ],
                isShared: random.next(20) == 0, events: events, firstIndex: random.next(3))
        }
    }

    private static func event(_ random: inout SplitMix, _ time: Int64) -> SentEvent {
        let name = random.pick([
            "content.view", "content.complete", "content.complete", "video.enter_fullscreen",
            "video.enter_fullscreen", "video.exit_fullscreen", "p", "p", "q",
        ])
        let texts = [#""x""#, #""é""#, "\"e\u{301}\""]
        switch name {
        case "content.view", "content.complete":
            return SentEvent(name, time, nil, [("z", "1"), ("content.id", random.pick(texts))])
        case "p", "q":
            let value = random.pick([nil, "5", #""5""#, "true", #""x""#] as [String?])
            return SentEvent(name, time, random.pick([nil, "s"]), value.map { [("n", $0)] } ?? [])
        default: return SentEvent(name, time, nil, [("video.id", random.pick(texts))])
        }
    }

    private static let funnels: [[(name: String, key: String?, value: String)]] = [
        [("p", nil, ""), ("q", nil, "")], [("p", nil, ""), ("p", nil, ""), ("p", nil, "")],
        [("p", "n", "5"), ("p", nil, ""), ("q", "n", "true")],
        [("p", nil, ""), ("p", "n", "5"), ("p", "n", "x")],
        [("q", nil, ""), ("p", "n", "5"), ("q", nil, ""), ("p", nil, "")],
        [("content.view", "content.id", "é"), ("content.complete", "content.id", "e\u{301}")],
    ]

    private static func parameters(
        _ funnel: [(name: String, key: String?, value: String)]
    ) -> [(name: String, value: String)] {
        funnel.map { (name: "step", value: $0.name + ($0.key.map { ":\($0)=" } ?? "") + $0.value) }
    }

    @Test(
        "every report agrees with its brute-force twin, on random populations", .tags(.long),
        arguments: 0..<24)
    func twin(group: Int) throws {
        for round in 0..<10 {
            let seed = UInt64(40_000 + group * 1000 + round)
            var random = SplitMix(seed: seed)
            let zone = try TimeZoneRules(name: random.pick(LawTests.zones))
            let batches = Self.population(&random, zone: zone, isCrowded: round == 9)
            let store = try TestStore(batches, timeZone: zone.name)
            let from = CivilDate(number: 20_540 - random.next(60))
            let to = from.adding(days: random.next(70))
            let now = noon + Int64(random.next(10) - 5) * random.pick([day, hour, 60_000])
            var filters: [String: [String]] = [:]
            if random.next(2) == 0 { filters["os.name"] = [random.pick(["iOS", "unknown"])] }
            if random.next(6) == 0 { filters["os.version"] = [random.pick(["1", "unknown"])] }
            var pairs = range(from.text, to.text)
            for (name, values) in filters { pairs += values.map { (name: name, value: $0) } }
            func rows(_ name: String, _ more: [(name: String, value: String)] = []) throws
                -> [[Cell]]
            {
                try store.ask(name, pairs + more, now: now).rows.map(\.cells)
            }
            let twin = Twin(
                batches, try store.question("content", pairs, now: now), filters: filters)
            let comment: Comment = "seed \(seed)"

            #expect(try rows("content") == twin.content(), comment)
            #expect(try rows("videos") == twin.videos(), comment)
            let cohort = random.pick(Interval.calendar)
            let periods = random.next(12)
            #expect(
                try rows(
                    "retention", [("cohort", cohort.rawValue), ("periods", "\(periods)")])
                    == twin.retention(cohort: cohort, periods: periods), comment)
            let inactive = random.pick([0, 1, 2, 5, 28])
            let lifetime = try store.ask(
                "lifetime", pairs + [("inactive", "\(inactive)")], now: now)
            #expect(lifetime.members.map(\.value) == twin.lifetime(inactive: inactive).members)
            #expect(
                lifetime.rows.map(\.cells) == twin.lifetime(inactive: inactive).rows, comment)
            let funnel = random.pick(Self.funnels)
            let (text, within) = random.pick([
                ("0s", 0), ("1s", 1000), ("1m", 60_000), ("1h", hour), ("3d", 3 * day),
            ])
            let devices = try rows("funnel", Self.parameters(funnel) + [("within", text)])
                .map { $0[2] }
            #expect(
                devices == twin.funnel(funnel, within: within).map { .int(Int64($0)) }, comment)
        }
    }

    private static let asked = range("2026-02-20", "2026-04-20")

    /// Answers of these reports to a few questions.
    private static func answers(_ store: TestStore) throws -> [String] {
        var questions: [(String, [(name: String, value: String)])] = [
            ("retention", []), ("retention", [("cohort", "week")]), ("lifetime", []),
            ("lifetime", [("inactive", "2"), ("os.name", "iOS")]),
        ]
        for filter in [[], [("os.name", "iOS")], [("os.name", "unknown")]]
            as [[(name: String, value: String)]]
        {
            questions += [("content", filter), ("videos", filter)]
            questions += funnels.map { ("funnel", filter + parameters($0)) }
        }
        return try questions.map { try store.ask($0.0, asked + $0.1).json }
    }

    @Test("the same batches in any order give the same octets", .tags(.long), arguments: 0..<60)
    func permutation(seed: Int) throws {
        var random = SplitMix(seed: UInt64(seed) + 9_000_000)
        let zone = try TimeZoneRules(name: random.pick(LawTests.zones))
        var batches = Self.population(&random, zone: zone, isCrowded: seed % 2 == 1)
        let first = try Self.answers(TestStore(batches, timeZone: zone.name))
        for _ in 0..<3 {
            random.shuffle(&batches)
            #expect(try Self.answers(TestStore(batches, timeZone: zone.name)) == first)
        }
    }

    @Test("cutting batches in two changes nothing", arguments: 0..<20)
    func split(seed: Int) throws {
        var random = SplitMix(seed: UInt64(seed) + 9_500_000)
        let zone = try TimeZoneRules(name: random.pick(LawTests.zones))
        let batches = Self.population(&random, zone: zone, isCrowded: seed % 2 == 1)
        let halves = batches.flatMap { batch in
            let cut = batch.events.count / 2
            var (first, second) = (batch, batch)
            // Behind the first half and before any other batch in the order of ids.
            (first.id, second.id) = (batch.id + "-1", batch.id + "-2")
            first.events = Array(batch.events[..<cut])
            second.events = Array(batch.events[cut...])
            second.firstIndex = batch.firstIndex + cut
            return [first, second]
        }
        #expect(
            try Self.answers(TestStore(batches, timeZone: zone.name))
                == Self.answers(TestStore(halves, timeZone: zone.name)))
    }

    @Test("views and enters of all systems add up, filter by filter")
    func partition() throws {
        var random = SplitMix(seed: 77)
        let zone = try TimeZoneRules(name: "Europe/Paris")
        let store = try TestStore(
            (0..<8).flatMap { round in
                Self.population(&random, zone: zone).map { batch in
                    var batch = batch
                    batch.device = "\(round)-\(batch.device)"
                    return batch
                }
            }, timeZone: zone.name)
        func sums(_ filter: [(name: String, value: String)]) throws -> [Int64] {
            // Views, completions, credited; enters.
            try [("content", 1), ("content", 3), ("content", 6), ("videos", 1)].map {
                name, column in
                try store.ask(name, Self.asked + filter).rows.reduce(Int64(0)) { sum, row in
                    if case .int(let count) = row.cells[column] { sum + count } else { sum }
                }
            }
        }
        let all = try sums([])
        var parts: [Int64] = [0, 0, 0, 0]
        for system in ["iOS", "Android", "unknown"] {
            parts = zip(parts, try sums([("os.name", system)])).map { $0 + $1 }
        }
        #expect(all == parts && all.allSatisfy { $0 > 5 })
    }
}
