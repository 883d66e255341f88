import Query
import Reports
import StoreTestSupport
import Testing

@Suite("rejects")
struct RejectsReportTests {
    private func batch(_ id: String, at arrival: Int64, _ codes: [String]) -> SentBatch {
        SentBatch(
            device: "a", id: id, receivedAt: arrival, events: [SentEvent("p", noon - 9 * day)],
            rejected: codes)
    }

    @Test("batches and events by date of arrival and code; repeats and other apps do not count")
    func sums() throws {
        var again = batch("3", at: noon, ["invalid-name"])
        again.repeats = [(noon, 1), (noon + hour, 1)]
        let store = try TestStore([
            batch("1", at: noon, ["invalid-time", "invalid-name", "invalid-name"]),
            batch("2", at: noon - day, ["invalid-time"]), again, batch("4", at: noon + day, ["x"]),
        ])
        for (code, time) in [
            ("unauthorized", noon), ("unauthorized", noon + 1), ("invalid-batch", noon - day),
            ("invalid-time", noon), ("undecodable", noon - 2 * day),
        ] {
            try store.refuse(code, at: time)
        }
        try store.refuse("forbidden", at: noon, app: 8)
        try store.store(batch("1", at: noon, ["invalid-name"]), app: 8)
        let two = range("2026-03-27", "2026-03-28")
        #expect(
            try store.ask("rejects", two).lines == [
                "2026-03-27,invalid-batch,1,0", "2026-03-27,invalid-time,0,1",
                "2026-03-28,invalid-name,0,3", "2026-03-28,invalid-time,1,1",
                "2026-03-28,unauthorized,2,0",
            ])
        #expect(
            try store.ask("rejects", two + [("interval", "week")], minGroup: 5).lines == [
                "2026-03-23,invalid-batch,1,0", "2026-03-23,invalid-name,0,3",
                "2026-03-23,invalid-time,1,2", "2026-03-23,unauthorized,2,0",
            ])
    }

    @Test("midnights are those of the zone, also for what is known by the quarter hour only")
    func zones() throws {
        let store = try TestStore([])
        // 00:00 in Kathmandu, and the quarter hour before.
        let midnight = noon + 6 * hour + 900_000
        try store.refuse("unauthorized", at: midnight)
        try store.refuse("unauthorized", at: midnight - 1)
        try store.refuse("unauthorized", at: midnight - 1)
        #expect(
            try store.ask(
                "rejects", range("2026-03-28", "2026-03-29") + [("tz", "Asia/Kathmandu")]
            ).lines == ["2026-03-28,unauthorized,2,0", "2026-03-29,unauthorized,1,0"])
        #expect(
            try store.ask(
                "rejects", range("2026-03-29", "2026-03-29") + [("tz", "Asia/Kathmandu")]
            ).lines == ["2026-03-29,unauthorized,1,0"])
    }

    @Test("it takes no filter and no limit", arguments: ["os.name", "limit", "name"])
    func parameters(name: String) throws {
        let error = try #require(throws: ReportError.self) {
            try TestStore().question("rejects", [(name, "1")])
        }
        #expect(error.code == .unknownParameter)
    }
}
