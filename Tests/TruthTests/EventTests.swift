import Client
import Testing

@testable import Truth

@Suite("what events, values, counters, content, videos and funnel must say")
struct EventTests {
    private func rows(_ question: TruthQuestion, _ devices: ToldDevice...) throws -> [String] {
        try TruthTests.rows(question, of: devices, in: scope())
    }

    @Test("names that tie go by their bytes")
    func names() throws {
        let device = ToldDevice([
            event("b", 0), event("a_", 0), event("a.b", 1), event("b", 1), event("b", -13 * hour),
        ])
        #expect(try rows(.events(), device) == ["b 2 1", "a.b 1 1", "a_ 1 1"])
        #expect(try rows(.events(by: .day), device)[0] == "2026-03-28 b 2 1")
    }

    @Test("values of an attribute are texts, numbers as RFC 8785 writes them, none first")
    func attributes() throws {
        let values: [Client.Value?] = [
            nil, .string("2"), .integer(2), .double(2), .double(1e21), .boolean(true),
            .string("e\u{301}"), .string("\u{e9}"), .double(-0.0), .double(0.5),
        ]
        let device = ToldDevice(
            values.map { value in
                event("order.purchase", 0, nil, value.map { [("order.items", $0)] } ?? [])
            })
        #expect(
            try rows(.events(name: "order.purchase", by: "order.items"), device) == [
                "2 3 1", "~ 1 1", "0 1 1", "0.5 1 1", "1e+21 1 1", "e\u{301} 1 1", "true 1 1",
                "\u{e9} 1 1",
            ])
    }

    private func purchases(_ values: [Client.Value]) -> ToldDevice {
        ToldDevice(
            values.map { event("order.purchase", 0, nil, [("order.total", $0)]) },
            versions: ["1"])
    }

    private static let totals = TruthQuestion.values(name: "order.purchase", of: "order.total")

    @Test("numbers alone are counted; sums are exact, and rounded once")
    func values() throws {
        let device = purchases([
            .double(0.5), .double(-0.0), .integer(-3), .string("7"), .boolean(true),
            .double(0x1p-7), .double(0.25),
        ])
        let given = try answer(Self.totals, of: [device], in: scope())
        #expect(given.members.map(\.figure.short) == ["2"])
        #expect(
            given.rows.map { $0.map(\.short).joined(separator: " ") }
                == ["5 1 -2.242188 -0.448438 -3 0.0078125 0.5 0.5 0.5 0.5"])
        #expect(
            try rows(Self.totals, purchases([.double(0x1p-7)])) == [
                "1 1 0.007813 0.007813 0.0078125 0.0078125 0.0078125 0.0078125 0.0078125 0.0078125"
            ])
        #expect(try rows(Self.totals, purchases([])) == ["0 0 0.000000 ~ ~ ~ ~ ~ ~ ~"])
    }

    @Test("sums are held within ±(2^53−1); what has no exact sum here is not checked")
    func greatSums() throws {
        func sums(_ values: [Client.Value]) throws -> [Substring] {
            try rows(Self.totals, purchases(values))[0].split(separator: " ")[2...3].map { $0 }
        }
        let greatest: Client.Value = .integer((1 << 53) - 1)
        #expect(
            try sums([greatest, greatest, .integer(1)])
                == ["9007199254740991.000000", "6004799503160661.000000"])
        #expect(
            try sums([.double(-0x1p55)]) == [
                "-9007199254740991.000000", "-9007199254740991.000000",
            ])
        #expect(try sums([.double(0.1), .double(0.1)]) == ["0.200000", "0.100000"])
        #expect(try sums([.double(1e-9)]) == ["?", "?"])
        #expect(try sums([.double(1e100), .double(1)]) == ["?", "?"])
    }

    @Test("percentiles of numbers are nearest-rank over all of them")
    func percentiles() throws {
        let values = (1...200).map { Client.Value.integer(Int64(($0 * 77) % 200 + 1)) }
        #expect(
            try rows(
                Self.totals, purchases(Array(values[..<120])), purchases(Array(values[120...])))
                == ["200 2 20100.000000 100.500000 1 100 180 190 198 200"])
    }

    @Test("values by a dimension and a week have rows of a count alone")
    func valuesBy() throws {
        let views = [
            ToldDevice(
                [
                    event("screen.view", 0, nil, [("app.screen.load_ms", .integer(4))]),
                    event("screen.view", 0, nil, batch: 1, [("app.screen.load_ms", .integer(6))]),
                    event("screen.view", 0, nil, batch: 2),
                ], batches: ["a", "b", "c"], versions: ["5", nil, "6"])
        ]
        let question = TruthQuestion.values(
            name: "screen.view", of: "app.screen.load_ms", by: "service.version", interval: .week)
        #expect(
            try TruthTests.rows(question, of: views, in: scope()) == [
                "2026-03-23 5 1 1 4.000000 4.000000 4 4 4 4 4 4",
                "2026-03-23 unknown 1 1 6.000000 6.000000 6 6 6 6 6 6",
            ])
        let plain = TruthQuestion.values(
            name: "screen.view", of: "app.screen.load_ms", interval: .day)
        #expect(
            try TruthTests.rows(plain, of: views, in: scope("2026-03-28", "2026-03-29")) == [
                "2026-03-28 2 1 10.000000 5.000000 4 4 6 6 6 6",
                "2026-03-29 0 0 0.000000 ~ ~ ~ ~ ~ ~ ~",
            ])
    }

    @Test("a counter goes up by 1 where it does not say by what")
    func counters() throws {
        func count(_ name: String, _ value: Client.Value?) -> Written {
            event(
                "usage.counter", 0, nil,
                [("counter.name", .string(name))] + (value.map { [("counter.value", $0)] } ?? []))
        }
        let device = ToldDevice([count("b", nil), count("a", .integer(5)), count("b", .integer(4))])
        #expect(
            try rows(.counters(), device, ToldDevice([count("a", .integer(1))], isShared: true))
                == ["a 6 2 1", "b 5 2 1"])
    }

    @Test("content is credited once, for the first completion ever")
    func content() throws {
        func content(_ verb: String, _ at: Int64, batch: Int = 0) -> Written {
            event("content.\(verb)", at, nil, batch: batch, [("content.id", .string("c"))])
        }
        let before = ToldDevice([content("complete", -dayLength), content("complete", 0)])
        let twice = ToldDevice([content("view", 0), content("complete", 1), content("complete", 2)])
        let shared = ToldDevice([content("view", 0), content("complete", 1)], isShared: true)
        #expect(try rows(.content(), before, twice, shared) == ["c 2 1 4 2 2.000000 1"])
        #expect(try rows(.content(), before) == ["c 0 0 1 1 ~ 0"])
        let filter = Filter.only(.osName, "iOS")
        func credited(_ ids: [String]) throws -> Bool {
            let tied = ToldDevice(
                [content("complete", 0), content("complete", 0, batch: 1)], batches: ids,
                os: ["iOS", "Android"])
            return try rows(.content(where: filter), tied) == ["c 0 0 1 1 ~ 1"]
        }
        #expect(try credited(["a", "b"]) && !credited(["b", "a"]))
    }

    @Test("an enter pairs with the next event of its video, if that is an exit")
    func videos() throws {
        func video(_ verb: String, _ at: Int64, batch: Int = 0, id: String = "v") -> Written {
            event("video.\(verb)_fullscreen", at, nil, batch: batch, [("video.id", .string(id))])
        }
        let device = ToldDevice([
            video("exit", 1000), video("enter", 1000), video("exit", 1500), video("enter", 2000),
            video("enter", 2500, id: "w"), video("enter", 3000), video("exit", 7000),
            video("exit", 8000), video("enter", 12 * hour - 1), video("exit", 13 * hour),
            video("enter", 14 * hour),
        ])
        // 0, 4 and 3,600.001 seconds.
        #expect(try rows(.videos(), device) == ["v 4 1 3604.001 4.000", "w 1 1 0.000 ~"])
        let moved = ToldDevice(
            [video("enter", 0), video("exit", 1000, batch: 1)], batches: ["a", "b"], corrected: [0])
        #expect(try rows(.videos(), moved) == ["v 1 1 0.000..3.000 0.000..3.000"])
    }

    @Test("steps of a funnel follow each other in time, equal times in either order, within a time")
    func funnel() throws {
        let question = TruthQuestion.funnel(["a", "b", "c"], withinHours: 1)
        func reached(_ events: Written...) throws -> [String] {
            try rows(question, ToldDevice(events)).map { String($0.split(separator: " ")[2]) }
        }
        #expect(try reached(event("c", 0), event("b", 0), event("a", 0)) == ["1", "1", "1"])
        #expect(try reached(event("b", 0), event("a", 1), event("c", 2)) == ["1", "0", "0"])
        #expect(try reached(event("a", 0), event("b", 1), event("c", hour)) == ["1", "1", "1"])
        #expect(try reached(event("a", 0), event("b", 1), event("c", hour + 1)) == ["1", "1", "0"])
        // The later beginning leads on, from a step that the earlier has reached too.
        #expect(
            try reached(
                event("a", 0), event("b", 1), event("a", 2), event("b", hour), event("c", hour + 2))
                == ["1", "1", "1"])
        #expect(
            try rows(
                question, ToldDevice([event("a", 0)]), ToldDevice([event("a", 0), event("b", 1)]),
                ToldDevice([event("a", 0), event("b", 0)], isShared: true)) == [
                    "1 a 2 1.000000 ~", "2 b 1 0.500000 0.500000", "3 c 0 0.000000 0.000000",
                ])
    }
}
