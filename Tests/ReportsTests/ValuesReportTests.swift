import Query
import Reports
import StoreTestSupport
import Testing

@Suite("values")
struct ValuesReportTests {
    private let today = range("2026-03-28", "2026-03-28")
    private let load = [(name: "name", value: "load"), (name: "of", value: "ms")]

    /// A batch of events that have these numbers, as they are stored.
    private func batch(
        _ device: String, _ numbers: [String?], key: String = "ms", others: [String] = [],
        system: String = "", at time: Int64 = noon, shared: Bool = false
    ) -> SentBatch {
        let events = numbers.enumerated().map { index, number in
            SentEvent(
                "load", time + Int64(index), nil,
                (number.map { [(key, $0)] } ?? [])
                    + (index < others.count ? [("page", others[index])] : []))
        }
        return SentBatch(
            device: device, id: "\(time)/\(numbers.count)", resource: ["os.name": system],
            isShared: shared, events: events)
    }

    @Test("only JSON numbers count, each as its double")
    func numbers() throws {
        let store = try TestStore([
            batch("a", ["3", "1.5", "-2", "\"7\"", "true", nil, "0"]),
            batch("b", ["10", "12345678901234567"]), batch("c", ["\"x\""]),
            batch("shared", ["4"], shared: true),
        ])
        let report = try store.ask("values", today + load)
        // Of shared devices too, and each as the double nearest to what was sent.
        #expect(
            report.lines == [
                "7,2,9007199254740991.000000,1763668414462083.500000,-2,3,12345678901234568,"
                    + "12345678901234568,12345678901234568,12345678901234568"
            ])
        #expect(report.members == [Report.Member("without_number", .int(4))])
    }

    @Test("sums are exact, rounded once and held within 2^53-1")
    func sums() throws {
        func figures(_ numbers: [String]) throws -> [String] {
            let line = try TestStore([batch("a", numbers)]).ask("values", today + load).lines[0]
            return Array(line.split(separator: ",").map(String.init)[2...3])
        }
        #expect(try figures(["0.0078125"]) == ["0.007813", "0.007813"])
        #expect(try figures(["-0.0078125"]) == ["-0.007813", "-0.007813"])
        #expect(try figures(["1e+100", "1", "-1e+100"]) == ["1.000000", "0.333333"])
        #expect(try figures(["1", "-1e+100", "1e+100"]) == ["1.000000", "0.333333"])
        #expect(
            try figures(["9007199254740991", "9007199254740991"])
                == ["9007199254740991.000000", "9007199254740991.000000"])
        #expect(
            try figures(["-1e+300"]) == ["-9007199254740991.000000", "-9007199254740991.000000"])
        #expect(try figures(["20000000000000", "0.5"])[0] == "20000000000000.500000")
        #expect(try figures(["-20000000000000", "-0.5"])[0] == "-20000000000000.500000")
        #expect(try figures(["5e-324", "-0.0000001"]) == ["0.000000", "0.000000"])
        // A mean on the half of a millionth.
        #expect(try figures(["0.015625", "0"]) == ["0.015625", "0.007813"])
    }

    @Test("extremes and percentiles are numbers as they are, in every form")
    func forms() throws {
        let store = try TestStore([
            batch("a", ["1e+100", "1e-7", "-0.5", "1234567.5", "100000000000000000000"])
        ])
        let asked = today + load
        let report = try store.ask("values", asked)
        #expect(
            report.json.hasSuffix(
                "\"min\":-0.5,\"p50\":1234567.5,\"p90\":1e+100,\"p95\":1e+100,\"p99\":1e+100,"
                    + "\"max\":1e+100}]}"))
        #expect(report.lines[0].hasSuffix(",-0.5,1234567.5,1e+100,1e+100,1e+100,1e+100"))
        let table = String(decoding: report.rendered(as: .table), as: UTF8.self)
        #expect(table.contains("  -0.5  1,234,567.5  1e+100  1e+100"))
    }

    @Test("nothing is one row, and a row in every bucket")
    func nothing() throws {
        let store = try TestStore([batch("a", ["\"1\""])])
        #expect(try store.ask("values", today + load).lines == ["0,0,0.000000,,,,,,,"])
        let days = range("2026-03-27", "2026-03-29") + load
        #expect(
            try store.ask("values", days + [("interval", "day")]).lines
                == ["27", "28", "29"].map { "2026-03-\($0),0,0,0.000000,,,,,,," })
        #expect(try store.ask("values", days + [("by", "page")]).lines == [])
        #expect(try TestStore([]).ask("values", today + load).lines == ["0,0,0.000000,,,,,,,"])
    }

    @Test("by an attribute or a filter, most numbers first and events without it first of equals")
    func by() throws {
        let store = try TestStore([
            batch("a", ["1", "2", "3", "4"], others: ["\"b\"", "5", "\"a\""], system: "iOS"),
            batch("b", ["5", nil, "7"], others: ["\"5\"", "\"b\"", "\"b\""]),
            batch("a", ["8"], others: ["\"b\""], system: "iOS", at: noon - day),
        ])
        func names(_ pairs: [(name: String, value: String)]) throws -> [String] {
            try store.ask("values", range("2026-03-27", "2026-03-28") + load + pairs).lines
                .map { $0.split(separator: ",", omittingEmptySubsequences: false) }
                .map { $0.prefix(4).joined(separator: " ") }
        }
        #expect(
            try names([("by", "page")]) == [
                "b 3 2 16.000000", "5 2 2 7.000000", " 1 1 4.000000", "a 1 1 3.000000",
            ])
        #expect(
            try names([("by", "os.name")]) == ["iOS 5 1 18.000000", "unknown 2 1 12.000000"])
        #expect(
            try names([("by", "page"), ("interval", "day"), ("limit", "2")]) == [
                "2026-03-27 b 1 1", "2026-03-28 5 2 2", "2026-03-28 b 2 2",
            ])
    }

    @Test("small groups: a row that devices name is left out, of others the figures are hidden")
    func small() throws {
        let store = try TestStore([
            batch("a", ["1"], others: ["\"x\""]),
            batch("b", ["1", "2"], others: ["\"x\"", "\"y\""]),
            batch("shared", ["9"], others: ["\"z\""], shared: true),
        ])
        #expect(
            try store.ask("values", today + load, minGroup: 3).json.hasSuffix(
                "\"without_number\":null,\"rows\":[{\"count\":null,\"devices\":null,\"sum\":null,"
                    + "\"mean\":null,\"min\":null,\"p50\":null,\"p90\":null,\"p95\":null,"
                    + "\"p99\":null,\"max\":null,\"suppressed\":true}]}"))
        let by = try store.ask("values", today + load + [("by", "page")], minGroup: 2)
        #expect(by.members.last == Report.Member("suppressed_rows", .int(2)))
        #expect(by.rows.map { $0.cells[0] } == [.text("x")])
    }
}
