import Query
import Reports
import StoreTestSupport
import Testing

@Suite("active")
struct ActiveReportTests {
    private func view(
        _ device: String, _ id: String, _ times: Int64..., os: String = "iOS", shared: Bool = false
    ) -> SentBatch {
        SentBatch(
            device: device, id: id, resource: ["os.name": os], isShared: shared,
            events: times.map { SentEvent("screen.view", $0) })
    }

    @Test("devices of a day, of the 7 and 30 days that end with it, and new ones")
    func byDay() throws {
        let store = try TestStore([
            view("a", "1", noon, noon + 1),
            view("a", "2", noon - 6 * day),
            view("b", "1", noon - 29 * day),
            view("b", "2", noon),
            view("c", "1", noon - 30 * day),
            view("d", "1", noon - 7 * day),
        ])
        let lines = try store.ask("active", range("2026-03-27", "2026-03-28")).lines
        // 27th: a (21st), d (21st is 6 days before: 28 − 7); b, c on 27 Feb and 26 Feb.
        #expect(lines == ["2026-03-27,0,2,4,0,0.000000", "2026-03-28,2,2,3,0,0.666667"])
        let first = try store.ask("active", range("2026-03-21", "2026-03-22")).lines
        #expect(first == ["2026-03-21,1,1,3,1,0.333333", "2026-03-22,1,2,4,1,0.250000"])
    }

    @Test("shared devices, other apps' devices and what filters drop are not counted")
    func notCounted() throws {
        let store = try TestStore([
            view("a", "1", noon), view("s", "1", noon, shared: true), view("s", "2", noon - day),
            view("b", "1", noon, os: "Android"), view("u", "1", noon, os: ""),
        ])
        try store.store(view("x", "1", noon), app: 8)
        func today(_ filters: [(name: String, value: String)]) throws -> [String] {
            try store.ask("active", range("2026-03-28", "2026-03-28") + filters).lines
        }
        #expect(try today([]) == ["2026-03-28,3,3,3,3,1.000000"])
        #expect(try today([("os.name", "iOS")]) == ["2026-03-28,1,1,1,1,1.000000"])
        #expect(
            try today([("os.name", "iOS"), ("os.name", "unknown")]) == [
                "2026-03-28,2,2,2,2,1.000000"
            ])
        #expect(try today([("os.name", "")]) == ["2026-03-28,0,0,0,0,"])
        #expect(try today([("os.name", "iOS"), ("os.version", "18")]) == ["2026-03-28,0,0,0,0,"])
    }

    @Test("a device is new on the day of its earliest event of all, whatever the filter")
    func newWithFilter() throws {
        let store = try TestStore([
            view("a", "1", noon - day, os: "Android"), view("a", "2", noon),
        ])
        #expect(
            try store.ask("active", range("2026-03-28", "2026-03-28") + [("os.name", "iOS")]).lines
                == ["2026-03-28,1,1,1,0,1.000000"])
    }

    @Test("weeks begin before the range but count only what is in it")
    func weeks() throws {
        let store = try TestStore([
            view("a", "1", noon - 5 * day),  // Monday the 23rd
            view("b", "1", noon), view("c", "1", noon + 2 * day, noon + 3 * day),
        ])
        #expect(
            try store.ask("active", range("2026-03-24", "2026-03-30") + [("interval", "week")])
                .lines
                == ["2026-03-23,1,1", "2026-03-30,1,1"])
    }

    @Test("the monthly average is of the months that lie wholly in the range")
    func months() throws {
        let store = try TestStore([
            view("a", "1", noon), view("b", "1", noon), view("c", "1", noon),
            view("a", "2", noon - 31 * day), view("d", "1", noon - 62 * day),
        ])
        func average(_ from: String, _ to: String) throws -> String {
            let json = try store.ask("active", range(from, to) + [("interval", "month")]).json
            return String(json.split(separator: "\"monthly_average\":")[1].split(separator: ",")[0])
        }
        #expect(try average("2026-01-01", "2026-03-31") == "1.667")
        #expect(try average("2026-01-02", "2026-03-31") == "2.000")
        #expect(try average("2026-03-01", "2026-03-30") == "null")
        #expect(
            try store.ask("active", range("2026-01-31", "2026-03-01") + [("interval", "month")])
                .lines
                == ["2026-01-01,0,0", "2026-02-01,1,1", "2026-03-01,0,0"])
    }

    @Test("the whole range is one row, dated from, in which each device counts once")
    func whole() throws {
        let store = try TestStore([
            view("a", "1", noon, noon - day), view("b", "1", noon - 40 * day),
            view("b", "2", noon - 20 * day), view("c", "1", noon - 25 * day, noon),
            view("d", "1", noon + day), view("s", "1", noon, shared: true),
        ])
        let asked = range("2026-03-03", "2026-03-28") + [("interval", "all")]
        let report = try store.ask("active", asked)
        #expect(report.columns.map(\.name) == ["date", "active", "new"])
        #expect(report.lines == ["2026-03-03,3,2"] && report.members.isEmpty)
        #expect(
            try store.ask("active", range("2026-03-29", "2026-03-29") + [("interval", "all")]).lines
                == ["2026-03-29,1,1"])
        #expect(
            try store.ask("active", asked + [("os.name", "none")]).lines == ["2026-03-03,0,0"])
        #expect(
            try store.ask("active", asked, minGroup: 3).json
                .hasSuffix(#"{"date":"2026-03-03","active":3,"new":null,"suppressed":true}]}"#))
    }

    @Test("days are cut in the zone, on days of 23 and 25 hours too")
    func zones() throws {
        let midnight = noon + 11 * hour  // 2026-03-29 00:00 in Paris
        let store = try TestStore(
            [
                view("a", "1", midnight - 1), view("b", "1", midnight),
                view("c", "1", midnight + 23 * hour - 1), view("d", "1", midnight + 23 * hour),
            ], timeZone: "Europe/Paris")
        let week = [("interval", "day")] as [(name: String, value: String)]
        #expect(
            try store.ask("active", range("2026-03-28", "2026-03-30") + week).lines.map {
                $0.prefix(13)
            }
                == ["2026-03-28,1,", "2026-03-29,2,", "2026-03-30,1,"])
        #expect(
            try store.ask("active", range("2026-03-28", "2026-03-30") + [("tz", "Asia/Kathmandu")])
                .lines.map { $0.prefix(13) }
                == ["2026-03-28,0,", "2026-03-29,2,", "2026-03-30,2,"])
    }

    @Test("a batch that spans weeks counts on the days of its events and no others")
    func longBatch() throws {
        let store = try TestStore([view("a", "1", noon - 20 * day, noon - 10 * day, noon)])
        let days = try store.ask("active", range("2026-03-07", "2026-03-28")).rows
            .filter { $0.cells[1] == .int(1) }.map { $0.cells[0] }
        #expect(days == [.text("2026-03-08"), .text("2026-03-18"), .text("2026-03-28")])
    }
}
