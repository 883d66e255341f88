import Query
import StoreTestSupport
import Testing

@testable import Reports

@Suite("Asking")
struct ParameterTests {
    @Test("decoded pairs are taken as they are")
    func decoded() throws {
        let given = [["a", "b=c"], ["", ""], ["k", "к =:"], ["a", "2"]].map {
            $0.map { Array($0.utf8) }
        }
        let list = try ParameterList(decoded: given.map { ($0[0], $0[1]) })
        #expect(list.pairs.map { [$0.name.bytes, $0.value.bytes] } == given)
    }

    @Test(
        "the first pair that could not be decoded is refused, and the parameter named",
        arguments: [
            ([("tz", nil)], "tz"), ([(nil, "1")], "the"), ([(nil, nil)], "the"),
            ([("tz", "a\u{0}")], "tz"), ([("\u{0}", "1")], "the"),
            ([("app", "a"), ("to", nil), (nil, "1")], "to"),
            ([("app", "\u{0}"), ("to", nil)], "app"), ([("<b>", nil)], "a"),
        ] as [([(String?, String?)], String)])
    func undecodable(pairs: [(String?, String?)], named: String) throws {
        let error = try #require(throws: ReportError.self) {
            try ParameterList(
                decoded: pairs.map { ($0.0.map { Array($0.utf8) }, $0.1.map { Array($0.utf8) }) })
        }
        #expect(error.code == .invalidParameter)
        #expect(error.detail.split(separator: " ").first.map(String.init) == named)
    }

    @Test(
        "what is not UTF-8 is refused",
        arguments: [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80]] as [[UInt8]])
    func encoding(bytes: [UInt8]) throws {
        for (pair, named) in [((Array("tz".utf8), bytes), "tz"), ((bytes, []), "the")] {
            let error = try #require(throws: ReportError.self) {
                try ParameterList(decoded: [pair])
            }
            #expect(error.detail.split(separator: " ").first.map(String.init) == named)
        }
    }

    /// So many steps.
    private static func many(_ count: Int) -> [(name: String, value: String)] {
        (0..<count).map { (name: "step", value: "a\($0)") }
    }

    static let cases: [(String, [(name: String, value: String)], ReportError.Code, String)] = [
        ("active", [("foo", "1")], .unknownParameter, "foo"),
        ("active", [("From", "2026-01-01")], .unknownParameter, "From"),
        ("active", [("limit", "5")], .unknownParameter, "limit"),
        ("active", [("after", "1")], .unknownParameter, "after"),
        ("platforms", [("interval", "day")], .unknownParameter, "interval"),
        ("retention", [("interval", "day")], .unknownParameter, "interval"),
        ("active", [("cohort", "day")], .unknownParameter, "cohort"),
        ("content", [("within", "1d")], .unknownParameter, "within"),
        ("funnel", [("limit", "5")], .unknownParameter, "limit"),
        ("retention", [("cohort", "year")], .invalidParameter, "cohort"),
        ("retention", [("periods", "91")], .invalidParameter, "periods"),
        ("retention", [("periods", "-1")], .invalidParameter, "periods"),
        ("retention", [("periods", "two")], .invalidParameter, "periods"),
        ("lifetime", [("inactive", "-1")], .invalidParameter, "inactive"),
        ("lifetime", [("inactive", "x")], .invalidParameter, "inactive"),
        ("values", [("of", "a")], .missingParameter, "name"),
        ("values", [("name", "a")], .missingParameter, "of"),
        ("values", [("name", "a"), ("of", "b"), ("of", "c")], .invalidParameter, "of"),
        ("hours", [("interval", "day")], .unknownParameter, "interval"),
        ("funnel", [], .missingParameter, "step"),
        ("funnel", [("step", "a.b")], .invalidParameter, "step"),
        ("funnel", many(11), .invalidParameter, "step"),
        ("funnel", many(1) + [("step", "")], .invalidParameter, "step"),
        ("funnel", many(1) + [("step", "A")], .invalidParameter, "step"),
        ("funnel", many(1) + [("step", "a:b")], .invalidParameter, "step"),
        ("funnel", many(1) + [("step", "a:=b")], .invalidParameter, "step"),
        ("funnel", many(1) + [("step", "a=b")], .invalidParameter, "step"),
        ("funnel", many(2) + [("within", "5x")], .invalidParameter, "within"),
        ("funnel", many(2) + [("within", "h")], .invalidParameter, "within"),
        ("funnel", many(2) + [("within", "")], .invalidParameter, "within"),
        ("funnel", many(2) + [("within", "24")], .invalidParameter, "within"),
        ("funnel", many(2) + [("within", "-5m")], .invalidParameter, "within"),
        ("funnel", many(2) + [("within", "05m")], .invalidParameter, "within"),
        ("funnel", many(2) + [("within", "99999999999999999999d")], .invalidParameter, "within"),
        ("funnel", many(2) + [("within", "1d"), ("within", "1d")], .invalidParameter, "within"),
        ("export", [("limit", "1")], .unknownParameter, "limit"),
        ("active", [("from", "2026-02-30")], .invalidParameter, "from"),
        ("active", [("to", "x")], .invalidParameter, "to"),
        ("active", [("from", "2026-03-02"), ("to", "2026-03-01")], .invalidParameter, "from"),
        ("active", [("from", "2026-03-29")], .invalidParameter, "from"),
        ("active", [("from", "2023-03-24"), ("to", "2026-03-28")], .invalidParameter, "from"),
        ("active", [("from", "2026-03-01"), ("from", "2026-03-01")], .invalidParameter, "from"),
        ("active", [("app", "other")], .invalidParameter, "app"),
        ("active", [("tz", "Mars/Phobos")], .invalidParameter, "tz"),
        ("active", [("tz", "")], .invalidParameter, "tz"),
        ("active", [("interval", "Day")], .invalidParameter, "interval"),
        ("active", [("interval", "")], .invalidParameter, "interval"),
        ("active", [("interval", "All")], .invalidParameter, "interval"),
        ("quality", [("interval", "all")], .invalidParameter, "interval"),
        ("rejects", [("interval", "all")], .invalidParameter, "interval"),
        ("events", [("interval", "all")], .invalidParameter, "interval"),
        ("counters", [("interval", "all")], .invalidParameter, "interval"),
        ("retention", [("cohort", "all")], .invalidParameter, "cohort"),
        ("active", [("format", "xml")], .invalidParameter, "format"),
        ("export", [("format", "csv")], .invalidParameter, "format"),
        ("export", [("after", "garbage")], .invalidParameter, "after"),
        ("export", [("after", "")], .invalidParameter, "after"),
        ("platforms", [("limit", "0")], .invalidParameter, "limit"),
        ("platforms", [("limit", "10001")], .invalidParameter, "limit"),
        ("platforms", [("limit", "-1")], .invalidParameter, "limit"),
        ("platforms", [("limit", "1.5")], .invalidParameter, "limit"),
        ("platforms", [("limit", "0x10")], .invalidParameter, "limit"),
        ("platforms", [("limit", "٣")], .invalidParameter, "limit"),
        ("platforms", [("limit", "99999999999999999999")], .invalidParameter, "limit"),
        ("platforms", [("limit", "")], .invalidParameter, "limit"),
        ("platforms", [("limit", "5"), ("limit", "5")], .invalidParameter, "limit"),
    ]

    @Test(
        "what is wrong is refused with its code, and the parameter named", arguments: cases.indices)
    func refused(index: Int) throws {
        let (name, pairs, code, named) = Self.cases[index]
        let store = try TestStore()
        let error = try #require(throws: ReportError.self) { try store.question(name, pairs) }
        #expect(error.code == code)
        #expect(error.status == 400)
        #expect(error.detail.split(separator: " ").first.map(String.init) == named)
        for pair in pairs where pair.value.utf8.count > 4 && code == .invalidParameter {
            #expect(!error.detail.contains(pair.value))
        }
    }

    @Test("a hostile name is not repeated")
    func hostileName() throws {
        let error = try #require(throws: ReportError.self) {
            try TestStore().question("active", [("<b>\u{1B}[31m", "1")])
        }
        #expect(error.code == .unknownParameter)
        #expect(!error.detail.contains("<"))
    }

    @Test("each report of rows is computed, and only these are")
    func catalogue() {
        let rows = ReportDefinition.all.filter { if case .rows = $0.shape { true } else { false } }
        #expect(rows.map(\.name) == ReportCatalogue.computed.map { $0.definition.name })
        #expect(Set(ReportDefinition.all.map(\.name)).count == ReportDefinition.all.count)
    }

    @Test("reports and apps that are not there, a missing app")
    func missing() throws {
        #expect(throws: ReportError.unknownReport) { try ReportDefinition.named("Active") }
        #expect(ReportError.unknownReport.status == 404)
        #expect(throws: ReportError.missing("app")) { try ParameterList([]).app() }
        #expect(try ParameterList([("app", "a")]).app() == "a")
        #expect(throws: ReportError.self) { try ParameterList([("app", "a"), ("app", "a")]).app() }
    }

    @Test("an app whose time zone tzdata does not have is asked with tz, or not at all")
    func timeZoneGone() throws {
        let app = QueryApp(id: 7, name: "shop", timeZone: "US/Gone", sessionTimeout: 1_800_000)
        func question(_ pairs: [(name: String, value: String)]) throws -> Question {
            try Question(
                ReportDefinition.named("active"), ParameterList([("app", "shop")] + pairs),
                app: app,
                now: noon, settings: ReportSettings())
        }
        let error = try #require(throws: ReportError.self) { try question([]) }
        #expect(error.code == .timeZoneGone && error.status == 409)
        for word in ["US/Gone", "sojourn app set shop --time-zone", "tzdata-legacy"] {
            #expect(error.detail.contains(word))
        }
        #expect(try question([("tz", "America/Los_Angeles")]).zone.name == "America/Los_Angeles")
        // What is wrong with the question comes first.
        #expect(
            try #require(throws: ReportError.self) { try question([("x", "")]) }.code
                == .unknownParameter)
        let known = QueryApp(id: 7, name: "shop", timeZone: "UTC", sessionTimeout: 1)
        #expect(known.timeZoneFault == nil)
    }

    @Test("dates fill each other in, in the zone that is asked for")
    func dates() throws {
        let store = try TestStore(timeZone: "Pacific/Kiritimati")
        let today = try store.question("active", [])
        #expect(today.scope.today.text == "2026-03-29")
        #expect(today.to.text == "2026-03-29")
        #expect(today.from.text == "2026-02-28")
        let past = try store.question("active", [("to", "2026-01-31"), ("tz", "UTC")])
        #expect(past.scope.today.text == "2026-03-28")
        #expect(past.from.text == "2026-01-02")
        #expect(
            try store.question("active", range("2023-03-25", "2026-03-28")).zone.name
                == "Pacific/Kiritimati")
    }

    @Test("one question has one canonical text, another another")
    func canonical() throws {
        let store = try TestStore()
        func text(_ pairs: [(name: String, value: String)]) throws -> [UInt8] {
            try store.question("active", pairs).canonical
        }
        let plain = try text([])
        #expect(try text([("interval", "day"), ("tz", "UTC"), ("format", "csv")]) == plain)
        #expect(
            try text([("os.name", "a"), ("os.name", "b")])
                == text([("os.name", "b"), ("os.name", "a"), ("os.name", "a")]))
        #expect(try text([("os.name", "a")]) != plain)
        #expect(try text([("interval", "week")]) != plain)
        #expect(try text([("os.name", "é")]) != text([("os.name", "e\u{301}")]))
    }

    @Test(
        "CSV is chosen by Accept where it is wanted more than JSON",
        arguments: [
            (nil, ReportFormat.json), ("text/csv", .csv), ("TEXT/CSV", .csv), ("*/*", .json),
            ("text/csv;q=0.5, application/json", .json), ("text/csv, */*;q=0.1", .csv),
            ("text/*", .csv), ("application/json, text/csv", .json), ("", .json),
            ("text/csv;q=0", .json), ("text/csv ; q=1.000", .csv), ("text/csv;q=x", .json),
            ("text/html, text/csv;q=0.9, application/json;q=0.8", .csv),
            ("*/*, text/csv;q=0.1", .json), ("text/html\t, */*;q=0, text/csv\t;\tq=0.1", .csv),
            // The Greek question mark, which Unicode calls equal to the semicolon.
            ("text/csv\u{37E}q=1", .json),
        ] as [(String?, ReportFormat)])
    func accept(field: String?, format: ReportFormat) throws {
        #expect(try TestStore().question("active", []).format(accept: field) == format)
        #expect(
            try TestStore().question("active", [("format", "table")]).format(accept: field)
                == .table)
    }
}
