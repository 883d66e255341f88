import Query
import Reports
import StoreTestSupport
import Testing

@Suite("events")
struct EventsReportTests {
    private let march = range("2026-03-26", "2026-03-28")

    private func event(_ name: String, _ time: Int64, _ json: String? = nil) -> SentEvent {
        SentEvent(name, time, nil, json.map { [("other", "1"), ("kind", $0)] } ?? [])
    }

    private func values(_ events: [(device: String, json: String?)]) throws -> TestStore {
        try TestStore(
            events.enumerated().map { place, sent in
                SentBatch(
                    device: sent.device, id: "\(place)", isShared: sent.device == "shared",
                    events: [event("p", noon, sent.json), event("q", noon, "\"no\"")])
            })
    }

    private let byKind = [(name: "name", value: "p"), (name: "by", value: "kind")]

    @Test("most events first, those that tie by name; shared devices are never devices")
    func ranked() throws {
        let store = try TestStore([
            SentBatch(
                device: "a", id: "1",
                events: [event("b", noon), event("a", noon), event("b", noon + 1)]),
            SentBatch(device: "b", id: "1", events: [event("b", noon - day), event("c", noon)]),
            SentBatch(
                device: "s", id: "1", isShared: true,
                events: [event("c", noon), event("d", noon - 3 * day)]),
        ])
        #expect(try store.ask("events", march).lines == ["b,3,2", "c,2,1", "a,1,1"])
        #expect(
            try store.ask("events", march + [("limit", "2")]).lines == ["b,3,2", "c,2,1"])
        #expect(
            try store.ask("events", range("2026-03-25", "2026-03-25")).lines == ["d,1,0"])
        #expect(
            try store.ask("events", march).json.hasSuffix(
                "\"time_zone\":\"UTC\",\"rows\":[{\"name\":\"b\",\"events\":3,\"devices\":2},"
                    + "{\"name\":\"c\",\"events\":2,\"devices\":1},"
                    + "{\"name\":\"a\",\"events\":1,\"devices\":1}]}"))
    }

    @Test("by bucket: limit keeps the first names of the whole range, each in every bucket")
    func dated() throws {
        let store = try TestStore([
            SentBatch(
                device: "a", id: "1",
                events: [
                    event("once", noon), event("often", noon), event("some", noon),
                    event("some", noon + 1), event("often", noon - day),
                ]),
            SentBatch(
                device: "b", id: "1", events: [event("often", noon), event("often", noon - day)]),
        ])
        #expect(
            try store.ask("events", march + [("interval", "day")]).lines == [
                "2026-03-27,often,2,2", "2026-03-28,often,2,2", "2026-03-28,some,2,1",
                "2026-03-28,once,1,1",
            ])
        // `some` has as many as `often` on the 28th, but fewer in all.
        #expect(
            try store.ask("events", march + [("interval", "day"), ("limit", "1")]).lines
                == ["2026-03-27,often,2,2", "2026-03-28,often,2,2"])
        #expect(
            try store.ask("events", march + [("interval", "month"), ("limit", "2")]).lines
                == ["2026-03-01,often,4,2", "2026-03-01,some,2,1"])
        #expect(
            try store.ask("events", march + [("interval", "week"), ("tz", "Asia/Tokyo")]).lines
                .first == "2026-03-23,often,4,2")
    }

    @Test("a number or boolean shares its row with the equal string; null is first among equals")
    func byValue() throws {
        let store = try values([
            ("a", "5"), ("a", "\"5\""), ("b", "5"), ("b", "true"), ("a", "\"true\""), ("a", nil),
            ("shared", nil), ("a", "\"\""), ("a", "1.5"), ("b", "\"5.0\""),
        ])
        #expect(
            try store.ask("events", march + byKind).lines
                == ["5,3,2", ",2,1", "true,2,2", ",1,1", "1.5,1,1", "5.0,1,1"])
        let rows = try store.ask("events", march + byKind).rows.map { $0.cells[0] }
        #expect(rows[1] == .null && rows[3] == .text(""))
        #expect(
            try store.ask("events", march + byKind + [("limit", "2")]).json.hasSuffix(
                "\"rows\":[{\"value\":\"5\",\"events\":3,\"devices\":2},"
                    + "{\"value\":null,\"events\":2,\"devices\":1}]}"))
    }

    @Test("values are what the device wrote: escapes undone, octets not folded, formulas defused")
    func texts() throws {
        let store = try values([
            ("a", "\"a\\\"b\\\\c\\n\\u0001\""), ("a", "\"é\""), ("a", "\"e\u{301}\""),
            ("a", "\"=1\""), ("a", "-1"), ("a", "\"\u{1F600}\""), ("a", "\"\u{FFFD}\""),
        ])
        let rows = try store.ask("events", march + byKind).rows.map { $0.cells[0] }
        #expect(
            rows
                == ["-1", "=1", "a\"b\\c\n\u{1}", "e\u{301}", "é", "\u{FFFD}", "\u{1F600}"].map {
                    .text(ByteText($0))
                })
        let csv = try String(
            decoding: store.ask("events", march + byKind).rendered(as: .csv), as: UTF8.self)
        #expect(csv.hasPrefix("value,events,devices\r\n'-1,1,1\r\n'=1,1,1\r\n\"a\"\"b\\c\n"))
    }

    @Test("session.id is an attribute too; a name or key that nobody sent has no rows of its own")
    func sessions() throws {
        let store = try TestStore([
            SentBatch(
                device: "a", id: "1",
                events: [
                    SentEvent("p", noon, "s"), SentEvent("p", noon, "t"), SentEvent("p", noon, "s"),
                    SentEvent("p", noon),
                ])
        ])
        func ask(_ name: String, _ key: String) throws -> [String] {
            try store.ask("events", march + [("name", name), ("by", key)]).lines
        }
        #expect(try ask("p", "session.id") == ["s,2,1", ",1,1", "t,1,1"])
        #expect(try ask("p", "session") == [",4,1"])
        #expect(try ask("q", "session.id") == [])
        #expect(try ask("", "") == [])
    }

    @Test("small groups are left out after limit and counted, and so are rows of no device")
    func smallGroups() throws {
        let store = try values([("a", "1"), ("b", "1"), ("a", "2"), ("a", "2"), ("shared", "3")])
        let report = try store.ask("events", march + byKind, minGroup: 2)
        #expect(report.lines == ["1,2,2,"])
        #expect(report.members == [Report.Member("suppressed_rows", .int(2))])
        #expect(
            try store.ask("events", march + byKind + [("limit", "1")], minGroup: 2).json
                .contains("\"suppressed_rows\":0,\"rows\":[{\"value\":\"1\""))
    }

    @Test("thousands of values and names are each counted by themselves")
    func many() throws {
        // 3,000 values, one more event for each third of them, in an order of their own.
        let store = try TestStore(
            (0..<40).map { batch in
                SentBatch(
                    device: "d\(batch % 7)", id: "\(batch)",
                    events: (0..<100).map { place in
                        let number = (batch * 100 + place) * 7 % 3000
                        return event("n\(number)", noon + Int64(place), "\"v\(number)\"")
                    } + [batch, 39 - batch].map { event("p", noon, "\"v\($0)\"") })
            })
        let names = try store.ask("events", march + [("limit", "10000")]).rows
        #expect(names.count == 3001)
        #expect(names[0].cells == [.text("p"), .int(80), .int(7)])
        #expect(names[1...1000].allSatisfy { $0.cells[1] == .int(2) })
        #expect(names[1001...].allSatisfy { $0.cells[1...] == [.int(1), .int(1)] })
        let seen = names[1...].map { row -> String in
            if case .text(let text) = row.cells[0] { text.string } else { "" }
        }
        #expect(seen[..<1000] == seen[..<1000].sorted()[...])
        #expect(Set(seen) == Set((0..<3000).map { "n\($0)" }))
        let values = try store.ask("events", march + byKind).rows
        #expect(values.count == 40 && values.allSatisfy { $0.cells[1] == .int(2) })
        #expect(Set(values.map { $0.cells[0] }) == Set((0..<40).map { .text("v\($0)") }))
    }

    @Test("name and by are given together, and without interval")
    func together() throws {
        let store = try TestStore()
        for (pairs, code, named) in [
            ([("by", "kind")], .missingParameter, "name"),
            ([("name", "p")], .missingParameter, "by"),
            ([("name", "p"), ("interval", "day")], .missingParameter, "by"),
            ([("name", "p"), ("by", "k"), ("interval", "day")], .invalidParameter, "interval"),
            ([("name", "p"), ("by", "k"), ("by", "l")], .invalidParameter, "by"),
        ] as [([(name: String, value: String)], ReportError.Code, String)] {
            let error = try #require(throws: ReportError.self) {
                try store.question("events", pairs)
            }
            #expect(error.code == code)
            #expect(error.detail.hasPrefix(named + " "))
        }
    }

    @Test("the table is aligned and shows no control character")
    func table() throws {
        let store = try values([("a", "\"x\\u0001\""), ("b", nil), ("b", nil)])
        let table = try String(
            decoding: store.ask("events", march + byKind).rendered(as: .table), as: UTF8.self)
        #expect(
            table == """
                events  shop  2026-03-26 to 2026-03-28  UTC

                value  events  devices
                -           2        1  ████████████████████████
                x\\x01       1        1  ████████████

                """)
    }
}
