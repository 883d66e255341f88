import Foundation
import Query
import Reports
import Storage
import StoreTestSupport
import TestSupport
import Testing
import TimeZones

@Suite("what people ask the database (docs/schema.md)")
struct SchemaTests {
    /// Question to SQL.
    static let questions: [(title: String, sql: String)] = {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let path = root.appendingPathComponent("docs/schema.md")
        guard let text = try? String(contentsOf: path, encoding: .utf8) else { return [] }
        var found: [(String, String)] = []
        for part in text.components(separatedBy: "\n### ").dropFirst() {
            let title = String(part.prefix { $0 != "\n" })
            guard let open = part.range(of: "```sql\n"),
                let close = part.range(of: "\n```", range: open.upperBound..<part.endIndex)
            else { continue }
            found.append((title, String(part[open.upperBound..<close.lowerBound])))
        }
        return found
    }()

    private func store(seed: UInt64 = 1) throws -> TestStore {
        var random = SplitMix(seed: seed)
        let utc = try TimeZoneRules(name: "UTC")
        var batches = (0..<3).flatMap { round in
            LawTests.population(&random, zone: utc).map { batch in
                var batch = batch
                batch.device += "-\(round)"
                return batch
            }
        }
        batches.append(
            SentBatch(
                device: "counting", id: "c-1", resource: ["os.name": "iOS"],
                events: [
                    SentEvent("usage.counter", noon, nil, [("counter.name", "\"tap\"")]),
                    SentEvent(
                        "usage.counter", noon, "s",
                        [("counter.name", "\"tap\""), ("counter.value", "41"), ("x", "2.50e-7")]),
                ]))
        let store = try TestStore(batches, timeZone: "UTC", timeout: 600_000)
        try store.connection.execute(
            """
            PRAGMA trusted_schema=ON;
            UPDATE app SET session_timeout_ms = 600000 WHERE id = 7;
            UPDATE batch SET sequence = id * 3;
            INSERT INTO rejection SELECT app, id, 'invalid-name', 2, 1 FROM batch LIMIT 1;
            INSERT INTO refusal (app, quarter, code, batches) VALUES (7, 2000000, 'undecodable', 3);
            INSERT INTO meta (name, value) VALUES ('pruned_before', 1700000000000)
            """)
        return store
    }

    private func rows(_ store: TestStore, _ sql: String) throws -> [[String]] {
        let statement = try store.connection.prepare(sql)
        var rows: [[String]] = []
        while try statement.step() {
            rows.append((0..<statement.columnCount).map { statement.text($0) })
        }
        return rows
    }

    private func answer(_ store: TestStore, _ title: String) throws -> [[String]] {
        let question = try #require(Self.questions.first { $0.title.hasPrefix(title) })
        return try rows(store, question.sql)
    }

    @Test("every question has an answer")
    func answered() throws {
        let store = try store()
        #expect(Self.questions.count == 14)
        for question in Self.questions {
            #expect(!(try rows(store, question.sql)).isEmpty, "\(question.title)")
        }
    }

    @Test(
        "the views are those of the page",
        arguments: [
            "v_apps", "v_devices", "v_batches",
            "v_events", "v_sessions", "v_rejections", "v_refusals",
        ])
    func views(name: String) throws {
        #expect(!(try rows(store(), "SELECT * FROM \(name)")).isEmpty)
    }

    /// DuckDB parses a view, and has SQLite run what it writes of it: `x = ANY(SELECT …)`, `count_star()`, operands of
    /// UNION in parentheses; and `=` binds closer to it than `->>`.
    @Test("the views are in words that DuckDB hands on as they are meant")
    func wordsOfViews() throws {
        let views = try rows(
            store(),
            "SELECT name, sql FROM sqlite_schema WHERE type = 'view' AND name LIKE 'v~_%' ESCAPE '~'"
        )
        #expect(views.count == 7)
        for view in views {
            for words in ["IN (SELECT", "count(*)", "UNION", "INTERSECT", "EXCEPT"] {
                #expect(!view[1].contains(words), "\(view[0]): \(words)")
            }
            #expect(view[1].firstMatch(of: /= [a-z._]+ ->/) == nil, "\(view[0])")
        }
    }

    @Test("answers agree with the reports", arguments: 0..<30)
    func agree(seed: Int) throws {
        let store = try store(seed: UInt64(seed))
        let asked = range("2026-02-01", "2026-05-31")
        func report(_ name: String, _ columns: [Int]) throws -> [[String]] {
            try store.ask(name, asked, now: noon + 400 * day).lines.map { line in
                let cells = line.split(separator: ",", omittingEmptySubsequences: false)
                return columns.map { String(cells[$0]) }
            }
        }
        #expect(
            try answer(store, "How many devices were active")
                == report("active", [0, 1]).filter { $0[1] != "0" })
        #expect(
            try answer(store, "How many devices were new")
                == report("active", [0, 4]).filter { $0[1] != "0" })
        let sessions = try answer(store, "How many sessions began").map { row in
            [row[0], row[1], String(format: "%.3f", Double(row[2]) ?? -1), row[3]]
        }
        #expect(sessions == (try report("sessions", [0, 1, 8, 9])).filter { $0[1] != "0" })
        let systems = try answer(store, "Which systems").map { [$0[0], $0[1]] }
        #expect(Set(systems) == Set(try report("platforms", [0, 1])))
        // Other names of the population are odd, and not in the report's form here.
        let counters = try answer(store, "What did a counter").filter { $0[0] == "tap" }
        #expect(counters.count == 1)
        #expect(counters == (try report("counters", [0, 1]).filter { $0[0] == "tap" }))
    }

    @Test("what comes in the background is no use, and a first end ends the session that it begins")
    func foreground() throws {
        func event(_ name: String, _ seconds: Int64, _ session: String) -> SentEvent {
            SentEvent(name, noon + seconds * 1000, session)
        }
        let store = try TestStore([
            SentBatch(
                device: "a", id: "1",
                events: [
                    event("session.start", 0, "s"), event("p", 30, "s"),
                    event("session.end", 60, "s"),
                    event("push.received", 120, "s"), event("push.received", 180, "s"),
                    event("session.resume", 240, "s"), event("p", 300, "s"),
                    event("session.end", 0, "first"), event("widget", 60, "first"),
                    event("p", 0, "again"), event("session.end", 10, "again"),
                    event("session.start", 20, "again"), event("p", 25, "again"),
                    event("session.end", 40, "again"), event("p", 50, "again"),
                ])
        ])
        try store.connection.execute("UPDATE app SET session_timeout_ms = 1800000")
        try store.connection.execute(
            "PRAGMA trusted_schema=ON; UPDATE app SET session_timeout_ms = 600000")
        #expect(
            try rows(
                store, "SELECT session, duration_s, state, events FROM v_sessions ORDER BY session")
                == [
                    ["again", "30.0", "closed", "6"], ["first", "0.0", "closed", "2"],
                    ["s", "120.0", "inferred", "7"],
                ])
    }

    @Test("attributes come as they were sent, sessions by the app's timeout, open ones as open")
    func details() throws {
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let store = try TestStore([
            SentBatch(
                device: "a", id: "1",
                events: [
                    SentEvent(
                        "p", noon, "s",
                        [("a[b", "\"x,\\\"[\""), ("n", "2.50e-7"), ("t", "true"), ("i", "7")]),
                    SentEvent("session.end", noon + 600_001, "s"),
                    SentEvent("session.resume", noon + 600_001, "s"),
                    SentEvent("p", now, "live"),
                ])
        ])
        try store.connection.execute(
            "PRAGMA trusted_schema=ON; UPDATE app SET session_timeout_ms = 600000")
        #expect(
            try rows(store, "SELECT attributes, session, place FROM v_events LIMIT 1")
                == [[#"{"a[b":"x,\"[","n":2.50e-7,"t":true,"i":7}"#, "s", "0"]])
        #expect(
            try rows(
                store, "SELECT session, duration_s, state, events FROM v_sessions ORDER BY session")
                == [["live", "0.0", "open", "1"], ["s", "0.0", "inferred", "3"]])
        try store.connection.execute("UPDATE app SET session_timeout_ms = 600001")
        #expect(
            try rows(store, "SELECT duration_s, start_inferred FROM v_sessions WHERE session = 's'")
                == [["600.001", "1"]])
    }
}
