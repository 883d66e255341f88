import Query
import Reports
import StoreTestSupport
import Testing

@Suite("retention")
struct RetentionReportTests {
    /// A day is given by its distance from 28 March 2026, today.
    private func batch(
        _ device: String, _ days: [Int64], os: String = "iOS", id: String = "1",
        shared: Bool = false
    ) -> SentBatch {
        SentBatch(
            device: device, id: id, resource: ["os.name": os], isShared: shared,
            events: days.map { SentEvent("p", noon + $0 * day) })
    }

    @Test("who was first seen on a day, and how many of them came back on each day after it")
    func days() throws {
        let store = try TestStore([
            batch("a", [-3, -2, 0]), batch("b", [-3, 0]), batch("c", [-2]),
            // First seen before the range: in no cohort.
            batch("old", [-9, -3, -2, -1]), batch("many", [-3], shared: true),
        ])
        let asked = range("2026-03-25", "2026-03-27") + [("periods", "3")]
        let report = try store.ask("retention", asked)
        #expect(
            report.lines == ["2026-03-25,2,2,1,0,2", "2026-03-26,1,1,0,0,", "2026-03-27,0,0,0,,"])
        #expect(
            report.json.hasSuffix(
                #""rows":[{"cohort":"2026-03-25","size":2,"p0":2,"p1":1,"p2":0,"p3":2},"#
                    + #"{"cohort":"2026-03-26","size":1,"p0":1,"p1":0,"p2":0,"p3":null},"#
                    + #"{"cohort":"2026-03-27","size":0,"p0":0,"p1":0,"p2":null,"p3":null}]}"#))
    }

    @Test("a cohort at the edge counts who was first seen in the range, its periods all their days")
    func edges() throws {
        // 28 March 2026 is a Saturday: the weeks begin on 16, 23 and 30 March.
        let store = try TestStore([
            batch("a", [-9, -4]), batch("b", [-7, -5, 0]), batch("c", [-6, 1]), batch("d", [-5]),
        ])
        let asked = range("2026-03-20", "2026-03-23") + [("cohort", "week"), ("periods", "2")]
        #expect(
            try store.ask("retention", asked).lines == ["2026-03-16,2,2,2,", "2026-03-23,1,1,,"])
        #expect(
            try store.ask("retention", asked, now: noon + 2 * day).lines
                == ["2026-03-16,2,2,2,0", "2026-03-23,1,1,0,"])
        // The 29th is in the future, but its week and its month have begun.
        #expect(
            try store.ask(
                "retention", range("2026-03-01", "2026-03-31") + [("cohort", "month")]
            ).lines == ["2026-03-01,4,4,,,,,,"])
    }

    @Test("a filter chooses devices by their earliest event; their activity is any event")
    func filters() throws {
        let store = try TestStore([
            batch("a", [-2]), batch("a", [-1, 0], os: "Android", id: "2"),
            batch("b", [-2], os: "Android"), batch("b", [-1], id: "2"),
        ])
        let asked = range("2026-03-26", "2026-03-26") + [("periods", "2"), ("os.name", "iOS")]
        #expect(try store.ask("retention", asked).lines == ["2026-03-26,1,1,1,1"])
    }

    @Test("there are 14 days, 8 weeks or 6 months unless periods says otherwise")
    func defaults() throws {
        let store = try TestStore([])
        for (cohort, count) in [("day", 14), ("week", 8), ("month", 6)] {
            let asked = range("2026-03-28", "2026-03-28") + [(name: "cohort", value: cohort)]
            let columns = try store.ask("retention", asked).columns.map(\.name)
            #expect(columns == ["cohort", "size"] + (0...count).map { "p\($0)" })
            #expect(
                try store.question("retention", asked).canonical
                    == store.question("retention", asked + [("periods", "\(count)")]).canonical)
        }
        #expect(
            try store.question("retention", []).canonical
                != store.question("retention", [("periods", "13")]).canonical)
    }

    @Test("the furthest of 90 periods counts")
    func furthest() throws {
        let store = try TestStore([batch("a", [-90, -1, 0])])
        let rows = try store.ask(
            "retention", range("2025-12-28", "2025-12-29") + [("periods", "90")]
        ).rows
        #expect(rows[0].cells.count == 93 && rows[0].cells[92] == .int(1))
        #expect(rows[0].cells[91] == .int(1) && rows[0].cells[90] == .int(0))
        #expect(rows[1].cells[92] == .null && rows[1].cells[91] == .int(0))
    }

    @Test("a small cohort's figures go, its place stays")
    func smallGroups() throws {
        let store = try TestStore([batch("a", [-1, 0]), batch("b", [0]), batch("c", [0])])
        let asked = range("2026-03-26", "2026-03-28") + [("periods", "1")]
        #expect(
            try store.ask("retention", asked, minGroup: 2).lines
                == ["2026-03-26,,,,true", "2026-03-27,,,,true", "2026-03-28,2,2,,"])
    }
}
