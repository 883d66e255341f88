import Query
import Reports
import StoreTestSupport
import Testing

@Suite("funnel")
struct FunnelReportTests {
    private let today = range("2026-03-28", "2026-03-28")

    private func batch(
        _ device: String, _ events: [(String, Int64)], id: String = "1", os: String = "iOS",
        shared: Bool = false
    ) -> SentBatch {
        SentBatch(
            device: device, id: id, resource: ["os.name": os], isShared: shared,
            events: events.map { SentEvent($0.0, noon + $0.1) })
    }

    private func steps(_ steps: String..., within: String? = nil) -> [(name: String, value: String)]
    {
        steps.map { (name: "step", value: $0) } + (within.map { [("within", $0)] } ?? [])
    }

    @Test("devices by step, and what part of the first and of the previous step they are")
    func figures() throws {
        let store = try TestStore([
            batch("a", [("order", 0), ("menu", 1), ("checkout", 2)]),
            batch("b", [("order", 0), ("menu", 1)]), batch("c", [("order", 0)]),
            batch("d", [("menu", 0), ("checkout", 1)]), batch("e", [("menu", 0), ("order", 1)]),
            batch("s", [("order", 0), ("menu", 1)], shared: true),
        ])
        #expect(
            try store.ask("funnel", today + steps("order", "menu", "checkout")).json.hasSuffix(
                #""time_zone":"UTC","rows":["#
                    + #"{"step":1,"matcher":"order","devices":4,"from_first":1.000000,"from_previous":null},"#
                    + #"{"step":2,"matcher":"menu","devices":2,"from_first":0.500000,"from_previous":0.500000},"#
                    + #"{"step":3,"matcher":"checkout","devices":1,"from_first":0.250000,"from_previous":0.500000}]}"#
            ))
        #expect(
            try store.ask("funnel", today + steps("nothing", "menu")).lines
                == ["1,nothing,0,,", "2,menu,0,,"])
    }

    @Test("the last event is at most `within` after the first, whichever first one is best")
    func within() throws {
        let store = try TestStore([
            batch("a", [("p", 0), ("p", 50_000), ("q", 105_000)]),
            batch("b", [("p", 0), ("q", 55_001)]),
            // Three steps from the second p only.
            batch("c", [("p", 0), ("q", 1000), ("p", 2000), ("q", 3000), ("r", 57_000)]),
        ])
        func lines(_ within: String) throws -> [String] {
            try store.ask("funnel", today + steps("p", "q", "r", within: within)).lines
        }
        #expect(try lines("55s")[1...] == ["2,q,2,0.666667,0.666667", "3,r,1,0.333333,0.500000"])
        #expect(try lines("54s")[1...] == ["2,q,1,0.333333,0.333333", "3,r,0,0.000000,0.000000"])
        #expect(try lines("1m")[1...] == ["2,q,3,1.000000,1.000000", "3,r,1,0.333333,0.333333"])
        #expect(try lines("0s")[1] == "2,q,0,0.000000,0.000000")
        #expect(try lines("999999999d")[1] == "2,q,3,1.000000,1.000000")
    }

    @Test("one event is one step; events of one millisecond stand in either order")
    func moments() throws {
        let store = try TestStore([
            batch("a", [("p", 0)]), batch("b", [("p", 0), ("p", 0)]),
            batch("c", [("q", 0), ("p", 0)]), batch("d", [("p", 0)]),
            batch("d", [("p", 0)], id: "2"),
        ])
        #expect(try store.ask("funnel", today + steps("p", "p")).lines[1].hasPrefix("2,p,2,"))
        #expect(
            try store.ask("funnel", today + steps("p", "q", within: "0s")).lines[1].hasPrefix(
                "2,q,1,"))
    }

    @Test("attributes match as text: a string, or a number or boolean as JSON has it")
    func attributes() throws {
        func event(_ json: String, _ time: Int64 = 0) -> SentEvent {
            SentEvent("p", noon + time, "s-1", [("y", "0"), ("x", json)])
        }
        let values = ["5", #""5""#, "5.5", "true", #""true""#, #""a:b=c""#, #""""#, #""\"5\"""#]
        let store = try TestStore(
            values.enumerated().map { place, json in
                SentBatch(
                    device: "d\(place)", id: "1", events: [event(json), SentEvent("q", noon)])
            } + [SentBatch(device: "none", id: "1", events: [SentEvent("p", noon)])])
        func first(_ matcher: String) throws -> Cell {
            try store.ask("funnel", today + steps(matcher, "q")).rows[0].cells[2]
        }
        #expect(try first("p:x=5") == .int(2))
        #expect(try first("p:x=5.0") == .int(0))
        #expect(try first("p:x=5.5") == .int(1))
        #expect(try first("p:x=true") == .int(2))
        #expect(try first("p:x=a:b=c") == .int(1))
        #expect(try first("p:x=") == .int(1))
        #expect(try first("p:x=\"5\"") == .int(1))
        #expect(try first("p:session.id=s-1") == .int(8))
        #expect(try first("p:session.id=s-2") == .int(0))
        #expect(try first("p") == .int(9))
        // The one event with both fits one of them; greed for the first step must not take it.
        let both = try TestStore([
            SentBatch(device: "a", id: "1", events: [event("1"), event("2")])
        ])
        #expect(
            try both.ask("funnel", today + steps("p", "p:x=1", within: "0s")).rows[1].cells[2]
                == .int(1))
    }

    @Test("only events of the range that the filters let through")
    func filters() throws {
        let store = try TestStore([
            batch("a", [("p", 0)]), batch("a", [("q", 1)], id: "2", os: "Android"),
            batch("b", [("p", -13 * hour), ("q", 0), ("p", 1)]),
        ])
        #expect(try store.ask("funnel", today + steps("p", "q")).lines[1].hasPrefix("2,q,1,"))
        #expect(
            try store.ask("funnel", today + steps("p", "q") + [("os.name", "iOS")]).lines
                == ["1,p,2,1.000000,", "2,q,0,0.000000,0.000000"])
        #expect(
            try store.ask("funnel", range("2026-03-27", "2026-03-28") + steps("p", "q")).lines[1]
                .hasPrefix("2,q,2,"))
    }

    @Test("figures of few devices go, step and matcher stay")
    func smallGroups() throws {
        let store = try TestStore([
            batch("a", [("p", 0), ("q", 1)]), batch("b", [("p", 0)]), batch("c", [("p", 0)]),
        ])
        #expect(
            try store.ask("funnel", today + steps("p", "q", "r"), minGroup: 2).lines
                == ["1,p,3,1.000000,,", "2,q,,,,true", "3,r,,,,true"])
    }
}
