import Query
import Reports
import StoreTestSupport
import Testing

@Suite("versions")
struct VersionsReportTests {
    private let today = range("2026-03-28", "2026-03-28")
    private let byVersion = [(name: "dimension", value: "service.version")]

    private func batch(
        _ device: String, _ version: String, _ times: [Int64], session: String? = nil,
        shared: Bool = false
    ) -> SentBatch {
        SentBatch(
            device: device, id: "\(version)/\(times)", resource: ["service.version": version],
            isShared: shared, events: times.map { SentEvent("p", $0, session) })
    }

    @Test("each device under the value of its latest event in the range")
    func latest() throws {
        let store = try TestStore([
            batch("a", "1", [noon - day, noon]), batch("a", "2", [noon + 1], session: "s"),
            // Its last event lies behind the range, the one before comes first in it.
            batch("b", "1", [noon - 2, noon + day]),
            batch("b", "2", [noon - 1], session: "t"),
            batch("c", "1", [noon], session: "u"), batch("d", "", [noon]),
            batch("shared", "9", [noon], session: "v", shared: true), batch("e", "8", [noon - day]),
        ])
        #expect(
            try store.ask("versions", today + byVersion).lines == [
                "2,2,0.500000,2,1", "1,1,0.250000,1,1", "unknown,1,0.250000,0,1",
                "9,0,0.000000,1,0",
            ])
        #expect(
            try store.ask("versions", today + byVersion + [("limit", "1")]).lines
                == ["2,2,0.500000,2,1"])
        #expect(
            try store.ask("versions", today + byVersion + [("service.version", "1")]).lines
                == ["1,3,1.000000,1,2"])
        #expect(
            try store.ask("versions", today + byVersion, minGroup: 2).json.hasSuffix(
                "\"suppressed_rows\":3,\"rows\":[{\"value\":\"2\",\"devices\":2,"
                    + "\"share\":0.500000,\"sessions\":2,\"new\":null,\"suppressed\":true}]}"))
    }

    @Test("with interval each bucket has the rows of its days alone")
    func buckets() throws {
        let store = try TestStore([
            // Upgrades twice in a day, and back on the next.
            batch("a", "1", [noon], session: "s"), batch("a", "2", [noon + 1]),
            batch("a", "3", [noon + 2]), batch("a", "1", [noon + day]),
            batch("b", "1", [noon + 3]), batch("c", "3", [noon + day + 1]),
            batch("d", "3", [noon + day], session: "t"),
        ])
        let days = range("2026-03-27", "2026-03-29") + byVersion
        let rows = [
            "2026-03-28,1,1,0.500000,1,1", "2026-03-28,3,1,0.500000,0,1",
            "2026-03-29,3,2,0.666667,1,2", "2026-03-29,1,1,0.333333,0,0",
        ]
        #expect(try store.ask("versions", days + [("interval", "day")]).lines == rows)
        // Over both days 3 has more devices.
        #expect(
            try store.ask("versions", days + [("interval", "day"), ("limit", "1")]).lines
                == [rows[1], rows[2]])
        #expect(
            try store.ask("versions", days + [("interval", "week")]).lines
                == [
                    "2026-03-23,3,2,0.500000,1,2", "2026-03-23,1,2,0.500000,1,2",
                ].reversed())
        for interval in ["week", "month"] {
            #expect(
                try store.ask("versions", days + [("interval", interval)]).lines.map {
                    String($0.dropFirst("2026-03-01,".count))
                } == store.ask("versions", days).lines)
        }
    }

    @Test("where several tie, the greatest value by octets")
    func ties() throws {
        for values in [["10", "9"], ["", "a"], ["é", "e\u{301}"], ["\u{1F600}", "\u{FFFD}"]] {
            for order in [values, values.reversed()] {
                let store = try TestStore(order.map { batch("a", $0, [noon]) })
                let texts = values.map { $0.isEmpty ? "unknown" : $0 }
                let greatest = try #require(
                    texts.max { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) })
                #expect(
                    try store.ask("versions", today + byVersion).rows.map { $0.cells[0] }
                        == [.text(greatest)])
            }
        }
    }

    @Test("one of the four, and only these", arguments: ["", "device.id", "os", "Os.name"])
    func dimension(value: String) throws {
        let error = try #require(throws: ReportError.self) {
            try TestStore().question("versions", [("dimension", value)])
        }
        #expect(error.code == .invalidParameter && error.detail.hasPrefix("dimension "))
        let missing = try #require(throws: ReportError.self) {
            try TestStore().question("versions", [])
        }
        #expect(missing == .missing("dimension"))
    }
}
