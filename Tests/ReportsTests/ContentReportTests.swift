import Query
import Reports
import StoreTestSupport
import Testing

@Suite("content")
struct ContentReportTests {
    private let today = range("2026-03-28", "2026-03-28")

    private func view(_ content: String, _ time: Int64 = noon) -> SentEvent {
        SentEvent("content.view", time, nil, [("other", "1"), ("content.id", content)])
    }

    private func complete(_ content: String, _ time: Int64 = noon) -> SentEvent {
        SentEvent("content.complete", time, nil, [("content.id", content)])
    }

    private func batch(
        _ device: String, _ id: String, _ events: [SentEvent], os: String = "iOS",
        shared: Bool = false
    ) -> SentBatch {
        SentBatch(
            device: device, id: id, resource: ["os.name": os], isShared: shared, events: events)
    }

    @Test("views and viewers, completions and completers, and who is credited once")
    func figures() throws {
        let tour = #""tour""#
        let store = try TestStore([
            batch("a", "1", [view(tour), view(tour), complete(tour), complete(tour, noon + 9)]),
            batch("b", "1", [view(tour), complete(tour, noon - day), complete(tour)]),
            batch("c", "1", [view(tour), view(#""faq""#), SentEvent("p", noon)]),
            batch("s", "1", [view(tour), complete(tour)], shared: true),
            batch("d", "1", [complete(#""end""#)]),
        ])
        #expect(
            try store.ask("content", today).lines == [
                "tour,5,3,4,2,0.666667,1", "faq,1,1,0,0,0.000000,0", "end,0,0,1,1,,1",
            ])
        #expect(
            try store.ask("content", today + [("limit", "1")]).lines == ["tour,5,3,4,2,0.666667,1"])
        // The day before b completed it for the first time.
        #expect(
            try store.ask("content", range("2026-03-27", "2026-03-27")).lines == ["tour,0,0,1,1,,1"]
        )
    }

    @Test("the first completion decides about range and filter, whatever comes later or earlier")
    func credit() throws {
        let id = #""x""#
        let store = try TestStore([
            // The same instant: the smaller id is the first, by bytes.
            batch("a", "b", [complete(id)], os: "iOS"),
            batch("a", "B", [complete(id)], os: "Android"),
            batch("b", "1", [complete(id, noon - 40 * day)], os: "Android"),
            batch("b", "2", [complete(id)]),
            batch("c", "1", [complete(id)], os: "Android"),
            batch("c", "2", [complete(id, noon + 1)]),
            batch("d", "1", [complete(id, noon + 20 * hour)], os: "Android"),
            batch("d", "2", [complete(id, noon + 2)]),
        ])
        func credited(_ filter: [(name: String, value: String)]) throws -> [String] {
            try store.ask("content", today + filter).lines
        }
        #expect(try credited([]) == ["x,0,0,6,4,,3"])
        #expect(try credited([("os.name", "iOS")]) == ["x,0,0,4,4,,1"])
        #expect(try credited([("os.name", "Android")]) == ["x,0,0,2,2,,2"])
    }

    @Test("a completion whose event is gone is still the first one")
    func pruned() throws {
        let store = try TestStore([
            batch("a", "1", [SentEvent("p", noon - 50 * day)]),
            batch("a", "2", [complete(#""x""#)]), batch("b", "1", [complete(#""x""#)]),
            batch("c", "1", [view(#""x""#)]),
        ])
        try store.connection.execute(
            """
            CREATE TABLE IF NOT EXISTS completion (
                device INTEGER NOT NULL, content TEXT NOT NULL, time INTEGER NOT NULL,
                event INTEGER NOT NULL, PRIMARY KEY (device, content)) STRICT, WITHOUT ROWID
            """)
        #expect(try store.ask("content", today).lines == ["x,1,1,2,2,2.000000,2"])
        try store.connection.execute(
            """
            INSERT INTO completion(device, content, time, event)
            SELECT device, 'x', \(noon - 50 * day), id << 13 FROM batch
            WHERE batch_id = '1' AND device = (SELECT device FROM batch WHERE batch_id = '2')
            """)
        #expect(try store.ask("content", today).lines == ["x,1,1,2,2,2.000000,1"])
        // Where it lies itself, it is all that is left.
        #expect(
            try store.ask("content", range("2026-02-06", "2026-02-06")).lines == ["x,0,0,0,0,,1"])
        #expect(
            try store.ask(
                "content", range("2026-02-06", "2026-02-06") + [("os.name", "Android")]
            ).lines == [])
    }

    @Test("names are texts, with what JSON escapes, and go by octets where they tie")
    func names() throws {
        let store = try TestStore([
            batch(
                "a", "1",
                [
                    view(#""b\"\\\n""#), view(#""é""#), view("\"e\u{301}\""), view(#""Z""#),
                    view(#""=1""#),
                ])
        ])
        let rows = try store.ask("content", today).rows.map { $0.cells[0] }
        #expect(rows == ["=1", "Z", "b\"\\\n", "e\u{301}", "é"].map { .text(ByteText($0)) })
        #expect(try store.ask("content", today).lines[0].hasPrefix("'=1,"))
    }

    @Test("contents that few devices saw, completed and are credited for are left out and counted")
    func smallGroups() throws {
        let store = try TestStore([
            batch("a", "1", [view(#""x""#), view(#""y""#), complete(#""z""#)]),
            batch("b", "1", [view(#""x""#), complete(#""w""#)]),
            batch("c", "1", [complete(#""z""#), complete(#""x""#), complete(#""x""#)]),
        ])
        let report = try store.ask("content", today, minGroup: 2)
        #expect(
            report.json.hasSuffix(
                #""time_zone":"UTC","suppressed_rows":2,"rows":["#
                    + #"{"content":"x","views":2,"viewers":2,"completions":null,"completers":null,"#
                    + #""completion_rate":null,"credited":null,"suppressed":true},"#
                    + #"{"content":"z","views":0,"viewers":0,"completions":2,"completers":2,"#
                    + #""completion_rate":null,"credited":2}]}"#))
    }
}
