import Query
import Reports
import StoreTestSupport
import Testing

@Suite("platforms")
struct PlatformsReportTests {
    private let today = range("2026-03-28", "2026-03-28")

    private func batch(
        _ device: String, _ id: String, _ os: String, seconds: Int64?, shared: Bool = false
    ) -> SentBatch {
        SentBatch(
            device: device, id: id, resource: ["os.name": os], isShared: shared,
            events: seconds.map {
                [
                    SentEvent("session.start", noon, id),
                    SentEvent("session.end", noon + $0 * 1000, id),
                ]
            } ?? [SentEvent("screen.view", noon)])
    }

    @Test("shares of devices and of use, and which is used more than installed")
    func paradox() throws {
        let store = try TestStore([
            batch("a", "1", "Android", seconds: 10), batch("b", "1", "Android", seconds: nil),
            batch("c", "1", "Android", seconds: 20), batch("d", "1", "iOS", seconds: 30),
            batch("d", "2", "iOS", seconds: 40), batch("a", "3", "iOS", seconds: nil),
            batch("s", "1", "", seconds: 100, shared: true),
        ])
        #expect(
            try store.ask("platforms", today).lines == [
                "Android,3,0.600000,2,30.000,0.150000,0.250000,0.666667",
                "iOS,2,0.400000,2,70.000,0.350000,0.875000,1.000000",
                "unknown,0,0.000000,1,100.000,0.500000,,",
            ])
        #expect(
            try store.ask("platforms", today + [("limit", "1")]).lines
                == ["Android,3,0.600000,2,30.000,0.150000,0.250000,0.666667"])
        #expect(
            try store.ask("platforms", today + [("os.name", "iOS")]).lines
                == ["iOS,2,1.000000,2,70.000,1.000000,1.000000,1.000000"])
    }

    @Test("equal counts go by the octets of the name; an unnamed one and `unknown` are one")
    func ties() throws {
        let names = ["\u{FFFD}", "\u{1F600}", "Z", "a", "e\u{301}", "é", "unknown", ""]
        let store = try TestStore(
            names.enumerated().map { batch("d\($0)", "1", $1, seconds: nil) })
        let rows = try store.ask("platforms", today).rows.map { $0.cells[0] }
        #expect(
            rows
                == ["unknown", "Z", "a", "e\u{301}", "é", "\u{FFFD}", "\u{1F600}"].map {
                    .text(ByteText($0))
                })
    }

    @Test("small groups are left out and counted")
    func smallGroups() throws {
        let store = try TestStore([
            batch("a", "1", "Android", seconds: nil), batch("b", "1", "Android", seconds: nil),
            batch("c", "1", "iOS", seconds: nil), batch("s", "1", "", seconds: 1, shared: true),
        ])
        let json = try store.ask("platforms", today, minGroup: 2).json
        #expect(json.contains("\"time_zone\":\"UTC\",\"suppressed_rows\":2,\"rows\":["))
        #expect(!json.contains("iOS") && json.contains("Android") && !json.contains("unknown"))
        #expect(try store.ask("platforms", today, minGroup: 1).members.isEmpty)
        #expect(
            try store.ask("platforms", range("2026-01-01", "2026-01-01"), minGroup: 2).json
                .contains("\"suppressed_rows\":0,\"rows\":[]"))
    }
}
