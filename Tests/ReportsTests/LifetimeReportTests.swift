import Query
import Reports
import StoreTestSupport
import Testing

@Suite("lifetime")
struct LifetimeReportTests {
    private func batch(_ device: String, _ days: [Int64], os: String = "iOS") -> SentBatch {
        SentBatch(
            device: device, id: "1", resource: ["os.name": os],
            events: days.map { SentEvent("p", noon + $0 * day) })
    }

    @Test("survival is the product over all days, lost devices leave it and censored ones do not")
    func estimate() throws {
        // Lives of 1 (lost), 1 (censored), 2 (lost) and 3 days (censored), watched for 5 days.
        let store = try TestStore([
            batch("a", [-4]), batch("b", [0]), batch("c", [-4, -3]), batch("d", [-2, 0]),
            batch("old", [-5, -4]),
        ])
        let asked = range("2026-03-24", "2026-03-28") + [("inactive", "3")]
        let report = try store.ask("lifetime", asked)
        #expect(
            report.json
                == #"{"report":"lifetime","app":"shop","from":"2026-03-24","to":"2026-03-28","#
                + #""time_zone":"UTC","devices":4,"lost":2,"censored":2,"median_lifetime":2,"rows":["#
                + #"{"day":1,"at_risk":4,"lost":1,"survival":0.750000},"#
                + #"{"day":2,"at_risk":2,"lost":1,"survival":0.375000},"#
                + #"{"day":3,"at_risk":1,"lost":0,"survival":0.375000}]}"#)
    }

    @Test("a device is lost if its last active day is at least `inactive` days before to")
    func inactivity() throws {
        let store = try TestStore([batch("a", [-4, -3])])
        func lost(_ inactive: String) throws -> [String] {
            try store.ask(
                "lifetime", range("2026-03-24", "2026-03-28") + [("inactive", inactive)]
            ).lines
        }
        #expect(try lost("3") == ["1,1,0,1.000000", "2,1,1,0.000000"])
        #expect(try lost("4") == ["1,1,0,1.000000", "2,1,0,1.000000"])
        #expect(try lost("0") == ["1,1,0,1.000000", "2,1,1,0.000000"])
        #expect(try lost("999999999") == ["1,1,0,1.000000", "2,1,0,1.000000"])
    }

    @Test("nothing after to is watched, and a filter chooses devices, not events")
    func watched() throws {
        let store = try TestStore([
            batch("a", [-10, -9]),
            SentBatch(
                device: "a", id: "2", resource: ["os.name": "Android"],
                events: [SentEvent("p", noon - 8 * day), SentEvent("p", noon)]),
            batch("b", [-10], os: "Android"),
        ])
        let asked = range("2026-03-18", "2026-03-21") + [("os.name", "iOS"), ("inactive", "1")]
        #expect(
            try store.ask("lifetime", asked).lines
                == ["1,1,0,1.000000", "2,1,0,1.000000", "3,1,1,0.000000"])
    }

    @Test("without devices there are no rows, and no median")
    func empty() throws {
        #expect(
            try TestStore([]).ask("lifetime").json.hasSuffix(
                #""devices":0,"lost":0,"censored":0,"median_lifetime":null,"rows":[]}"#))
    }

    @Test("members made of a hidden row are null")
    func smallGroups() throws {
        // Lives of 1, 1, 1 and 3 days; two of the first lost.
        let store = try TestStore([
            batch("a", [-4]), batch("b", [-4]), batch("c", [0]), batch("d", [-2, 0]),
        ])
        let asked = range("2026-03-24", "2026-03-28") + [("inactive", "3")]
        #expect(
            try store.ask("lifetime", asked, minGroup: 2).json.hasSuffix(
                #""devices":4,"lost":null,"censored":null,"median_lifetime":1,"rows":["#
                    + #"{"day":1,"at_risk":4,"lost":2,"survival":0.500000},"#
                    + #"{"day":2,"at_risk":null,"lost":null,"survival":null,"suppressed":true},"#
                    + #"{"day":3,"at_risk":null,"lost":null,"survival":null,"suppressed":true}]}"#))
        #expect(
            try store.ask("lifetime", asked, minGroup: 5).json.contains(
                #""devices":null,"lost":null,"censored":null,"median_lifetime":null,"#))
    }
}
