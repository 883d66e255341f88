import Events
import Query
import Reports
import StoreTestSupport
import TestSupport
import Testing
import TimeZones

@Suite("The law of what reports ask", .tags(.long))
struct QueriesLawTests {
    private typealias Pairs = [(name: String, value: String)]

    private static let questions: [(name: String, pairs: Pairs)] = [
        ("active", []), ("active", [("interval", "week")]), ("active", [("interval", "month")]),
        ("active", [("interval", "all")]), ("sessions", [("interval", "all")]),
        ("sessions", []), ("sessions", [("interval", "week")]),
        ("retention", [("periods", "4")]), ("retention", [("cohort", "week")]),
        ("retention", [("cohort", "month"), ("periods", "2")]),
        ("events", []), ("events", [("limit", "2")]),
        ("events", [("interval", "week"), ("limit", "3")]),
        ("events", [("name", "p"), ("by", "k")]),
        ("events", [("name", "p"), ("by", "n"), ("limit", "2")]),
        ("counters", []), ("counters", [("interval", "day"), ("limit", "2")]),
        ("platforms", []), ("platforms", [("limit", "1")]),
        ("versions", [("dimension", "os.name")]),
        ("versions", [("dimension", "os.version"), ("limit", "1")]),
        ("versions", [("dimension", "os.name"), ("interval", "day")]),
        ("versions", [("dimension", "os.name"), ("interval", "week"), ("limit", "2")]),
        ("values", [("name", "p"), ("of", "k")]),
        ("values", [("name", "p"), ("of", "k"), ("interval", "week")]),
        ("values", [("name", "p"), ("of", "k"), ("by", "l")]),
        ("values", [("name", "p"), ("of", "n"), ("by", "os.name"), ("limit", "2")]),
        ("values", [("name", "p"), ("of", "k"), ("by", "k"), ("interval", "day"), ("limit", "2")]),
        ("hours", []), ("lengths", []),
        ("funnel", [("step", "p"), ("step", "q"), ("step", "p"), ("within", "7d")]),
        ("funnel", [("step", "p:n=5"), ("step", "content.view")]),
        ("content", []), ("content", [("limit", "1")]), ("videos", []),
        ("videos", [("limit", "1")]),
        ("lifetime", [("inactive", "3")]), ("lifetime", []),
        ("quality", []), ("quality", [("interval", "month")]),
        ("rejects", []), ("rejects", [("interval", "week")]),
    ]

    private static func batches(
        _ random: inout SplitMix, _ zone: TimeZoneRules, ofBehaviour: Bool, isCrowded: Bool
    ) -> [SentBatch] {
        let population =
            ofBehaviour
            ? BehaviourLawTests.population(&random, zone: zone, isCrowded: isCrowded)
            : LawTests.population(&random, zone: zone)
        return population.map { arrived($0, &random) }
    }

    /// What the reports by arrival tell apart.
    private static func arrived(_ batch: SentBatch, _ random: inout SplitMix) -> SentBatch {
        var batch = batch
        batch.receivedAt = noon + Int64(random.next(40) - 20) * random.pick([0, hour, day])
        batch.clockShift = random.pick([0, 0, 5000])
        batch.profile = random.pick([1, 2, 3, 4])
        batch.sequence = random.pick([nil, Int64(random.next(12)), Int64(random.next(30_000))])
        batch.dropped = random.pick([0, 1, 2, 9_007_199_254_740_991])
        batch.resource["telemetry.sdk.name"] = random.pick(["a", "a/b", "b", "", "unknown"])
        batch.resource["telemetry.sdk.version"] = random.pick(["1", "b/1", "", "unknown"])
        batch.bytes = Int64(random.next(900))
        batch.rejected = (0..<random.next(3)).map { _ in random.pick(["too-old", "bad-name"]) }
        batch.repeats = (0..<random.next(3)).map { _ in
            (time: batch.receivedAt + Int64(random.next(3)) * hour, bytes: Int64(random.next(99)))
        }
        return batch
    }

    @Test(
        "every report says the same of segments and of an array, in every form", arguments: 0..<16)
    func law(group: Int) throws {
        for round in 0..<3 {
            let seed = UInt64(70_000 + group * 1000 + round)
            var random = SplitMix(seed: seed)
            let zone = try TimeZoneRules(name: random.pick(LawTests.zones))
            let batches = Self.batches(
                &random, zone, ofBehaviour: group % 2 == 1, isCrowded: round == 2)
            let store = try TestStore(batches, timeZone: zone.name, timeout: 600_000)
            let refused = (0..<random.next(4)).map { _ in
                (
                    code: random.pick(["too-large", "bad-name"]),
                    time: noon - Int64(random.next(9)) * day
                )
            }
            for (code, time) in refused { try store.refuse(code, at: time) }
            let array = ArrayQueries(batches: batches, refused: refused)
            try compareClients(store, array, seed: seed)
            try compareDevices(store, array, seed: seed)
            for (name, pairs) in Self.questions {
                let from = CivilDate(number: 20_540 - random.next(50))
                let to = from.adding(days: random.pick([0, 9, 30, 60]))
                var asked = range(from.text, to.text) + pairs
                if random.next(3) == 0, name != "rejects" {
                    asked += [
                        ("os.name", random.pick(["iOS", "unknown"])), ("os.name", "Android"),
                    ]
                }
                let now = noon + Int64(random.next(10) - 5) * random.pick([day, hour, 60_000])
                let k = random.pick([1, 1, 2, 3])
                let found = try store.ask(name, asked, now: now, minGroup: k)
                let wanted = try ReportRunner.run(
                    store.question(name, asked, now: now, minGroup: k), array)
                for form in ReportFormat.allCases {
                    #expect(
                        found.rendered(as: form) == wanted.rendered(as: form),
                        "seed \(seed), k = \(k), \(name) \(asked)")
                }
            }
        }
    }

    /// Of whom so few have names that others are left.
    private func compareClients(
        _ store: TestStore, _ array: ArrayQueries, seed: UInt64
    ) throws {
        let scope = try store.question("quality", range("2026-03-01", "2026-04-09")).scope
        for count in [0, 1, 2, 5, 30] {
            let found = try SegmentQueries(store.connection).transaction {
                (queries) throws(QueryError) in
                try queries.arrivals(scope, by: .day, percents: [], clients: count).clients
            }
            let wanted = array.arrivals(scope, by: .day, percents: [], clients: count).clients
            let comment: Comment = "seed \(seed), \(count) clients by name"
            #expect(found.named.map(\.name) == wanted.named.map(\.name), comment)
            #expect(found.named.map(\.sums) == wanted.named.map(\.sums), comment)
            #expect(found.others == wanted.others, comment)
        }
    }

    /// How many there are: of any name, of one, and of one that nobody has sent.
    private func compareDevices(
        _ store: TestStore, _ array: ArrayQueries, seed: UInt64
    ) throws {
        for filter in [[], [("os.name", "iOS")]] as [Pairs] {
            let scope = try store.question(
                "active", range("2026-03-01", "2026-04-09") + filter
            ).scope
            for text in [nil, "p", "nothing"] as [String?] {
                let name = text.map { ByteText($0) }
                for limit in [1, 3, 1000] {
                    let found = try SegmentQueries(store.connection).transaction {
                        (queries) throws(QueryError) in
                        try queries.deviceCount(scope, sending: name, upTo: limit)
                    }
                    #expect(
                        found == array.deviceCount(scope, sending: name, upTo: limit),
                        "seed \(seed), \(text ?? "any") up to \(limit)")
                }
            }
        }
    }

    @Test(
        "an export and a device's record say the same of segments and of an array",
        arguments: 0..<8)
    func lines(group: Int) throws {
        let seed = UInt64(90_000 + group)
        var random = SplitMix(seed: seed)
        let zone = try TimeZoneRules(name: random.pick(LawTests.zones))
        let batches = Self.batches(
            &random, zone, ofBehaviour: group % 2 == 1, isCrowded: group == 3)
        let store = try TestStore(batches, timeZone: zone.name)
        let array = ArrayQueries(batches: batches)
        func text(_ lines: ExportLines, limit: Int, _ queries: any Queries) throws -> [UInt8] {
            var (lines, text) = (lines, [UInt8]())
            while !lines.isDone { text += try lines.next(queries, limit: limit).joined() }
            return text
        }
        func expectEqual(_ lines: ExportLines, _ what: String) throws {
            let limit = random.pick([1, 900, 9000, 90_000, 1 << 20])
            let found = try SegmentQueries(store.connection).transaction { queries in
                Result { try text(lines, limit: limit, queries) }
            }.get()
            #expect(try text(lines, limit: limit, array) == found, "seed \(seed), \(what)")
        }
        var cursor: String?
        for round in 0..<6 {
            let from = CivilDate(number: 20_540 - random.next(50))
            let days = range(from.text, from.adding(days: random.pick([0, 9, 60])).text)
            var asked = days
            if random.next(2) == 0 { asked.append(("os.name", random.pick(["iOS", "unknown"]))) }
            if round > 3, let cursor { asked.append(("after", cursor)) }
            try expectEqual(ExportLines(store.question("export", asked)), "\(asked)")
            let last = try store.lines(asked).randomElement(using: &random)
            cursor = (last?.split(separator: "\"").dropLast().last).map(String.init)
            if cursor.flatMap({ ExportPosition(parsing: Array($0.utf8)) }) == nil { cursor = nil }
            let device = ArrayQueries.hash(random.pick(batches.map(\.device)))
            try expectEqual(
                ExportLines(of: device, store.question("devices", round % 2 == 0 ? [] : days)),
                "device \(device.hex)")
            let record = try SegmentQueries(store.connection).device(device, of: store.app)
            #expect(record == array.device(device, of: store.app), "seed \(seed)")
        }
        let nobody = ArrayQueries.hash("nobody at all")
        #expect(try SegmentQueries(store.connection).device(nobody, of: store.app) == nil)
        #expect(array.device(nobody, of: store.app) == nil)
    }
}
