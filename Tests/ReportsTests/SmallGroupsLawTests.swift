import Query
import Reports
import StoreTestSupport
import TestSupport
import Testing
import TimeZones

@Suite("The law of small groups", .tags(.long))
struct SmallGroupsLawTests {
    private typealias Pairs = [(name: String, value: String)]

    /// Some devices that do alike, so that groups of all sizes come about.
    private static func population(_ random: inout SplitMix) -> [SentBatch] {
        let crowd = 2 + random.next(9)
        return (0..<(2 + random.next(30))).map { number in
            var time = noon - Int64(random.next(4)) * random.pick([0, hour, day, 11 * day])
            let session = "s\(random.next(2))"
            let events = (0..<(1 + random.next(6))).map { _ in
                time += random.pick([0, 1, 1000, 60_000, hour, day])
                return event(&random, time, session)
            }
            return SentBatch(
                device: "d\(random.next(crowd))", id: "b\(number)",
                resource: [
                    "os.name": random.pick(["iOS", "iOS", "Android", ""]),
                    "os.version": random.pick(["1", "1", "2", "3"]),
                ],
                isShared: random.next(40) == 0, events: events)
        }
    }

    private static func event(
        _ random: inout SplitMix, _ time: Int64, _ session: String
    ) -> SentEvent {
        let name = random.pick([
            "session.start", "session.end", "p", "p", "q", "usage.counter", "content.view",
            "content.view", "content.complete", "video.enter_fullscreen",
            "video.exit_fullscreen",
        ])
        let text = random.pick([#""x""#, #""x""#, #""y""#, "\"é\"", #""a,\"b""#])
        return switch name {
        case "usage.counter": SentEvent(name, time, session, [("counter.name", text)])
        case "content.view", "content.complete":
            SentEvent(name, time, session, [("content.id", text)])
        case "video.enter_fullscreen", "video.exit_fullscreen":
            SentEvent(name, time, session, [("video.id", text)])
        default:
            SentEvent(
                name, time, session,
                (random.next(2) == 0 ? [("k", text)] : [])
                    + [("n", random.pick(["1", "-2.5", "1e+30", "true"]))])
        }
    }

    private static let questions: [(name: String, pairs: Pairs)] = [
        ("active", []), ("active", [("interval", "week")]), ("active", [("interval", "month")]),
        ("active", [("interval", "all")]), ("sessions", [("interval", "all")]),
        ("sessions", []), ("sessions", [("interval", "month")]),
        ("retention", [("periods", "4")]), ("retention", [("cohort", "week")]),
        ("events", []), ("events", [("interval", "week"), ("limit", "3")]),
        ("events", [("name", "p"), ("by", "k")]),
        ("counters", []), ("counters", [("interval", "day"), ("limit", "2")]),
        ("platforms", []), ("platforms", [("limit", "1")]),
        ("versions", [("dimension", "os.version")]), ("versions", [("dimension", "os.name")]),
        ("versions", [("dimension", "os.version"), ("interval", "week")]),
        ("values", [("name", "p"), ("of", "n")]),
        ("values", [("name", "p"), ("of", "n"), ("interval", "month")]),
        ("values", [("name", "p"), ("of", "n"), ("by", "k")]),
        ("values", [("name", "q"), ("of", "n"), ("by", "os.name"), ("interval", "week")]),
        ("hours", []), ("lengths", []),
        ("funnel", [("step", "p"), ("step", "q"), ("step", "session.end"), ("within", "7d")]),
        ("funnel", [("step", "q"), ("step", "p:k=x"), ("step", "content.view")]),
        ("content", []), ("content", [("limit", "2")]), ("videos", []),
        ("lifetime", [("inactive", "3")]), ("lifetime", []),
        ("quality", []), ("rejects", []),
    ]

    @Test("every answer is what the table makes of the whole one, in every form", arguments: 0..<8)
    func law(group: Int) throws {
        for round in 0..<3 {
            let seed = UInt64(group * 1000 + round)
            var random = SplitMix(seed: seed)
            let store = try TestStore(Self.population(&random))
            for (name, pairs) in Self.questions {
                let from = CivilDate(number: 20_540 - random.next(70))
                let to = from.adding(days: random.pick([0, 9, 40, 80]))
                var asked = range(from.text, to.text) + pairs
                if random.next(3) == 0, name != "rejects" { asked.append(("os.name", "iOS")) }
                let k = 2 + random.next(5)
                let isLastMonthWhole = to.adding(days: 1).text.hasSuffix("-01")
                let comment: Comment = "seed \(seed), k = \(k), \(name) \(asked)"
                let whole = try store.ask(name, asked)
                let found = try store.ask(name, asked, minGroup: k)
                if ["quality", "rejects"].contains(name) {
                    for form in ReportFormat.allCases {
                        #expect(found.rendered(as: form) == whole.rendered(as: form), comment)
                    }
                    continue
                }
                let plain = SmallGroupsOracle.Answer(
                    json: whole.rendered(as: .json), csv: whole.rendered(as: .csv))
                #expect(plain.json.utf8.elementsEqual(whole.json.utf8), comment)
                let (people, senders) = try devices(asked, store)
                let wanted = SmallGroupsOracle(
                    report: asked.contains { $0.0 == "by" } ? name + " by" : name, k: k,
                    people: people, senders: senders
                )
                .hiding(plain, isLastMonthWhole: isLastMonthWhole)
                compare(found, wanted, comment)
            }
        }
    }

    /// How many devices the range and the filters of a question leave, and how many of these sent the name that it
    /// asks for.
    private func devices(
        _ asked: Pairs, _ store: TestStore
    ) throws -> (people: Int, senders: Int) {
        let scope = asked.filter { ["from", "to", "os.name"].contains($0.name) }
        func count(_ name: String, _ pairs: Pairs, _ column: Int) throws -> Int {
            let report = try ReportRunner.run(
                store.question(name, scope + pairs), store.connection)
            guard case .int(let count) = report.rows[0].cells[column] else { return 0 }
            return Int(count)
        }
        let name = asked.first { $0.name == "name" }?.value ?? "p"
        return (
            try count("active", [("interval", "all")], 1),
            try count("funnel", [("step", name), ("step", name)], 2)
        )
    }

    private func compare(
        _ found: Report, _ wanted: SmallGroupsOracle.Answer, _ comment: Comment
    ) {
        #expect(found.json == wanted.json, comment)
        let csv = String(decoding: found.rendered(as: .csv), as: UTF8.self)
        let names = found.columns.map(\.name) + ["suppressed"]
        let lines = [names.joined(separator: ",")] + wanted.csv + [""]
        #expect(csv == lines.joined(separator: "\r\n"), comment)

        let table = String(decoding: found.rendered(as: .table), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
        let members = wanted.members.dropFirst(5)
        #expect(
            table[1..<(1 + members.count)].map { $0.replacing(",", with: "") }
                == members.map { "\($0.name)  \($0.json == "null" ? "-" : $0.json)" }, comment)
        let start = 2 + members.count
        #expect(table[start].split(separator: " ").map(String.init) == names, comment)
        var rows = table[(start + 1)...].dropLast()
        // Marks follow.
        if found.name == "hours" { rows = rows.dropLast(11) }
        #expect(rows.count == wanted.words.count, comment)
        for (row, words) in zip(rows, wanted.words) {
            // A drawing follows.
            let found = row.split(separator: " ").prefix(names.count).map(String.init)
            #expect(
                found.prefix(words.count).map(Self.plain) == words.map(Self.plain), comment)
            #expect((found.count > words.count ? found[words.count] : "") != "yes", comment)
        }
    }

    /// Without the commas of thousands and of texts, and without the quotes of CSV.
    private static func plain(_ word: String) -> String { word.filter { $0 != "," && $0 != "\"" } }
}
