import Query
import StoreTestSupport
import Testing

@testable import Reports

/// docs/operation.md, Settings: `report-memory`.
@Suite("What each report holds")
struct HeldByReportsTests {
    /// Many names, videos, contents, sessions, values, devices and systems.
    private static func store(_ count: Int) throws -> TestStore {
        try TestStore(
            (0..<count / 20).map { batch in
                SentBatch(
                    device: "d\(batch)", id: "\(batch)",
                    resource: ["os.name": "os\(batch)", "service.version": "\(batch)"],
                    events: (0..<20).flatMap { place -> [SentEvent] in
                        let text = "\"a text of some length \(batch * 20 + place)\""
                        let time = noon + Int64(place) * 1000
                        let session = "s\(batch % 50)-\(place)"
                        return [
                            SentEvent("usage.counter", time, session, [("counter.name", text)]),
                            SentEvent(
                                "content.complete", time + 1, session, [("content.id", text)]),
                            SentEvent(
                                "video.enter_fullscreen", time + 2, nil, [("video.id", text)]),
                            SentEvent("video.exit_fullscreen", time + 3, nil, [("video.id", text)]),
                            SentEvent(
                                "buy", time + 4, nil,
                                [("sku", text), ("cents", "\(place)\(batch)")]),
                        ]
                    })
            })
    }

    private static let asked: [(name: String, pairs: [(name: String, value: String)], least: Int)] =
        [
            ("counters", [], 60), ("counters", [("interval", "day")], 60),
            ("events", [("name", "buy"), ("by", "sku")], 60), ("content", [], 100),
            ("videos", [], 100), ("lengths", [], 2), ("hours", [], 0),
            ("values", [("name", "buy"), ("of", "cents")], 8),
            ("values", [("name", "buy"), ("of", "cents"), ("by", "sku")], 60), ("sessions", [], 8),
            ("versions", [("dimension", "os.name")], 2),
            ("platforms", [], 2), ("funnel", [("step", "buy"), ("step", "buy:sku=x")], 20),
            ("active", [], 0), ("retention", [], 0), ("lifetime", [], 0),
        ]

    @Test(
        "is told of by every report and given back, and with too little of it a report ends",
        arguments: asked.indices)
    func reports(place: Int) throws {
        let (name, pairs, least) = Self.asked[place]
        let count = 4000
        let store = try Self.store(count)
        let question = try store.question(name, range("2026-03-27", "2026-03-29") + pairs)
        func run(_ memory: ReportMemory) throws -> (Report?, ReportAccount) {
            let account = memory.account(of: 1)
            let report = try ReportRunner.run(
                question, store.connection, interruption: Interruption(account),
                ReportEnvironment(threads: 2)
            ) { _ in false }
            return (report, account)
        }
        let memory = ReportMemory(limit: .max)
        let (whole, account) = try run(memory)
        #expect(account.greatest >= count * least && account.greatest > 0, "\(account.greatest)")
        #expect(account.held == 0 && memory.held == 0)
        let error = #expect(throws: QueryError.self) {
            _ = try run(ReportMemory(limit: account.greatest / 4))
        }
        #expect(error?.isInterruption == true)
        #expect(!store.connection.isInTransaction)
        let (again, _) = try run(ReportMemory(limit: account.greatest * 2))
        #expect(again == whole)
    }

    @Test("clients are counted, and a report of too many ends before it has found them all")
    func clients() throws {
        let count = 6000
        let store = try TestStore(
            (0..<count).map { number in
                SentBatch(
                    device: "d", id: "\(number)",
                    resource: ["telemetry.sdk.name": "a client of some length \(number)"],
                    receivedAt: noon, events: [])
            })
        let question = try store.question("quality", range("2026-03-28", "2026-03-28"))
        func greatest(_ limit: Int) throws -> (Int, isWhole: Bool) {
            let account = ReportMemory(limit: limit).account(of: 1)
            do throws(QueryError) {
                _ = try ReportRunner.run(
                    question, store.connection, interruption: Interruption(account))
                return (account.greatest, true)
            } catch {
                #expect(error.isInterruption && account.isOver)
                return (account.greatest, false)
            }
        }
        // Its text, its sums, its row and where both are found.
        let (whole, isWhole) = try greatest(.max)
        #expect(isWhole && whole > count * (40 + 24 + 8 + 16))
        let (part, isAll) = try greatest(whole / 8)
        #expect(!isAll && part < whole / 2, "\(part) of \(whole)")
    }

    @Test("the text of an answer counts as well", arguments: ReportFormat.allCases)
    func text(format: ReportFormat) throws {
        let store = try Self.store(4000)
        let report = try store.ask(
            "counters", range("2026-03-27", "2026-03-29") + [("limit", "4000")])
        let memory = ReportMemory(limit: .max)
        let account = memory.account(of: 1)
        func written(_ account: ReportAccount) throws -> [UInt8] {
            try Interruption(account).text(of: report.size, about: report.textSize(as: format)) {
                report.rendered(as: format)
            }
        }
        let text = try written(account)
        #expect(text == report.rendered(as: format))
        #expect(account.greatest > text.count && memory.held == 0)
        let error = #expect(throws: QueryError.self) {
            let little = ReportMemory(limit: text.count).account(of: 1)
            _ = try written(little)
        }
        #expect(error?.isInterruption == true)
    }

    @Test("resources that only other apps have are nothing to an app's reports")
    func otherResources() throws {
        let store = try Self.store(400)
        func held(_ name: String, _ pairs: [(name: String, value: String)]) throws -> (Int, String)
        {
            let account = ReportMemory(limit: .max).account(of: 1)
            let question = try store.question(name, range("2026-03-27", "2026-03-29") + pairs)
            let report = try ReportRunner.run(
                question, store.connection, interruption: Interruption(account),
                ReportEnvironment(threads: 1)
            ) { _ in false }
            return (account.greatest, report?.json ?? "")
        }
        let asked: [(String, [(name: String, value: String)])] = [
            ("platforms", []), ("versions", [("dimension", "service.version")]),
            ("counters", [("os.name", "os3"), ("os.name", "os4")]),
            ("active", [("service.version", "7")]), ("content", [("os.name", "unknown")]),
        ]
        let before = try asked.map { try held($0.0, $0.1) }
        try store.connection.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
            INSERT INTO resource SELECT 1000 + i, 'os' || i, i, '', '', i, '', '', '' FROM n
            """)
        for ((name, pairs), (octets, text)) in zip(asked, before) {
            let after = try held(name, pairs)
            #expect(after.1 == text)
            // But for how the allocator rounds; the others' resources would be megabytes.
            #expect(abs(after.0 - octets) < 16 << 10, "\(name)")
        }
    }
}
