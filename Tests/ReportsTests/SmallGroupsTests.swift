import StoreTestSupport
import Testing

@testable import Query
@testable import Reports

/// What `report-min-group` hides, worked out by hand.
@Suite("Small groups")
struct SmallGroupsTests {
    private typealias Pairs = [(name: String, value: String)]

    private let today = range("2026-03-28", "2026-03-28")

    /// So many devices, each with one batch of these events, at noon and some milliseconds later.
    private func crowd(
        _ prefix: String, _ count: Int, os: String = "iOS", version: String = "1",
        isShared: Bool = false, _ events: [SentEvent]
    ) -> [SentBatch] {
        (0..<count).map { number in
            SentBatch(
                device: "\(prefix)\(number)", id: "\(prefix)\(number)",
                resource: ["os.name": os, "os.version": version], isShared: isShared,
                events: events)
        }
    }

    private func crowd(_ prefix: String, _ count: Int, on days: [Int64]) -> [SentBatch] {
        crowd(prefix, count, days.map { SentEvent("p", noon + $0 * day) })
    }

    private func session(_ time: Int64, seconds: Int64, _ id: String = "s") -> [SentEvent] {
        [SentEvent("session.start", time, id), SentEvent("session.end", time + seconds * 1000, id)]
    }

    private func content(_ name: String, _ id: String, _ time: Int64 = noon) -> SentEvent {
        SentEvent("content." + name, time, nil, [("content.id", "\"\(id)\"")])
    }

    @Test("active by day: each count by itself, and stickiness with the two that it is made of")
    func active() throws {
        let store = try TestStore(
            crowd("a", 3, on: [-1]) + crowd("b", 5, on: [-8, 0]) + crowd("c", 1, on: [0]))
        let march = range("2026-03-27", "2026-03-29")
        #expect(
            try store.ask("active", march).lines == [
                "2026-03-27,3,3,8,3,0.375000", "2026-03-28,6,9,9,1,0.666667",
                "2026-03-29,0,9,9,0,0.000000",
            ])
        let report = try store.ask("active", march, minGroup: 4)
        #expect(
            report.lines == [
                "2026-03-27,,,8,,,true", "2026-03-28,6,9,9,,0.666667,true",
                "2026-03-29,,9,9,,,true",
            ])
        #expect(
            report.json.contains(
                #"{"date":"2026-03-27","active":null,"active_7d":null,"active_30d":8,"new":null,"#
                    + #""stickiness":null,"suppressed":true},"#))
        // Nobody on a day after few in 30: a share of them all the same. Nothing of nobody is hidden where no
        // figure of the column is.
        #expect(
            try store.ask("active", range("2026-04-26", "2026-04-27"), minGroup: 7).lines
                == ["2026-04-26,0,0,,0,,true", "2026-04-27,0,0,,0,,true"])
        #expect(
            try store.ask("active", range("2026-04-27", "2026-04-28"), minGroup: 7).lines
                == ["2026-04-27,0,0,0,0,,", "2026-04-28,0,0,0,0,,"])
        #expect(
            try store.ask("active", march, minGroup: 9).lines == [
                "2026-03-27,,,,,,true", "2026-03-28,,9,9,,,true", "2026-03-29,,9,9,,,true",
            ])
    }

    @Test("active by month: the average is made of the whole months' active, and of nothing else")
    func monthly() throws {
        let store = try TestStore(crowd("a", 5, on: [-40, 0]) + crowd("z", 1, on: [0]))
        func ask(_ from: String, _ minGroup: Int) throws -> (average: Cell, lines: [String]) {
            let report = try store.ask(
                "active", range(from, "2026-03-31") + [("interval", "month")], minGroup: minGroup)
            #expect(report.members.map(\.name) == ["monthly_average"])
            return (report.members[0].value, report.lines)
        }
        #expect(try ask("2026-02-01", 1).lines == ["2026-02-01,5,5", "2026-03-01,6,1"])
        #expect(
            try ask("2026-02-01", 3)
                == (.decimal(units: 5500, places: 3), ["2026-02-01,5,5,", "2026-03-01,6,,true"]))
        let both = ["2026-02-01,,,true", "2026-03-01,6,,true"]
        #expect(try ask("2026-02-01", 6) == (.null, both))
        #expect(try ask("2026-02-02", 6) == (.decimal(units: 6000, places: 3), both))
    }

    @Test("sessions: all figures of few devices go, those of shared devices alone stay")
    func sessions() throws {
        let store = try TestStore(
            crowd("a", 3, session(noon - day, seconds: 5))
                + crowd("b", 4, session(noon, seconds: 10))
                + crowd("s", 1, isShared: true, session(noon - 2 * day, seconds: 7)))
        #expect(
            try store.ask("sessions", range("2026-03-25", "2026-03-28"), minGroup: 4).lines == [
                "2026-03-25,0,0,,,,,,0.000,0,0,0,",
                "2026-03-26,1,0,,7.000,7.000,7.000,7.000,7.000,1,0,0,",
                "2026-03-27,,,,,,,,,,,,true",
                "2026-03-28,4,4,1.000000,10.000,10.000,10.000,10.000,40.000,4,0,0,",
            ])
    }

    @Test("retention: a small cohort's figures go, of another's each small count by itself")
    func retention() throws {
        let store = try TestStore(
            crowd("a", 4, on: [-2]) + crowd("b", 2, on: [-2, -1]) + crowd("c", 3, on: [-1, 0]))
        let asked = range("2026-03-26", "2026-03-28") + [("periods", "2")]
        #expect(
            try store.ask("retention", asked).lines
                == ["2026-03-26,6,6,2,0", "2026-03-27,3,3,3,", "2026-03-28,0,0,,"])
        #expect(
            try store.ask("retention", asked, minGroup: 4).lines
                == ["2026-03-26,6,6,,0,true", "2026-03-27,,,,,true", "2026-03-28,,,,,true"])
    }

    @Test("retention: a small cohort has no figure of days to come, so none hides a zero there")
    func young() throws {
        let store = try TestStore(crowd("a", 4, on: [-2]) + crowd("b", 1, on: [0]))
        #expect(
            try store.ask(
                "retention", range("2026-03-25", "2026-03-28") + [("periods", "2")], minGroup: 2
            ).lines == [
                "2026-03-25,,,0,0,true", "2026-03-26,4,4,0,0,", "2026-03-27,,,0,,true",
                "2026-03-28,,,,,true",
            ])
    }

    @Test("events: rows without enough devices are left out after limit, in every bucket")
    func events() throws {
        let store = try TestStore(
            crowd("a", 4, [SentEvent("p", noon), SentEvent("q", noon, nil, [("k", "1")])])
                + crowd("b", 3, [SentEvent("q", noon, nil, [("k", "2")]), SentEvent("q", noon)])
                + crowd("c", 1, [SentEvent("p", noon - day)])
                + crowd("s", 1, isShared: true, Array(repeating: SentEvent("r", noon), count: 99)))
        func ask(_ pairs: Pairs) throws -> (suppressed: Cell?, lines: [String]) {
            let report = try store.ask("events", pairs, minGroup: 4)
            #expect(report.members.last?.name == "suppressed_rows")
            return (report.members.last?.value, report.lines)
        }
        #expect(try ask(today) == (.int(1), ["q,10,7,", "p,4,4,"]))
        #expect(try ask(today + [("limit", "1")]) == (.int(1), []))
        #expect(try ask(today + [("limit", "2")]) == (.int(1), ["q,10,7,"]))
        #expect(try ask(today + [("os.name", "Android")]) == (.int(0), []))
        #expect(
            try ask(range("2026-03-27", "2026-03-28") + [("interval", "day")])
                == (.int(2), ["2026-03-28,q,10,7,", "2026-03-28,p,4,4,"]))
        #expect(try ask(today + [("name", "q"), ("by", "k")]) == (.int(2), ["1,4,4,"]))
        #expect(
            try store.ask("events", today, minGroup: 7).json.hasSuffix(
                #""suppressed_rows":2,"rows":[{"name":"q","events":10,"devices":7}]}"#))
    }

    @Test("counters, platforms, versions and videos: shares are of hidden rows too")
    func named() throws {
        func counter(_ name: String) -> SentEvent {
            SentEvent("usage.counter", noon, nil, [("counter.name", "\"\(name)\"")])
        }
        let enter = SentEvent("video.enter_fullscreen", noon, nil, [("video.id", #""v""#)])
        let store = try TestStore(
            crowd("a", 4, session(noon, seconds: 10) + [counter("tap"), counter("tap"), enter])
                + crowd("b", 1, on: [-1, 0])
                + crowd("c", 3, os: "Android", version: "2", session(noon, seconds: 20) + [enter])
                + crowd("s", 1, os: "", version: "", isShared: true, [counter("zoom")]))
        // The one device "b" is not new.
        #expect(try store.ask("counters", today, minGroup: 4).lines == ["tap,8,8,4,"])
        #expect(try store.ask("videos", today, minGroup: 4).lines == ["v,7,7,0.000,,"])
        #expect(try store.ask("videos", today, minGroup: 8).lines == [])
        // 5 of 8 devices, 40 of 100 seconds: 0.4 ÷ 0.625.
        #expect(
            try store.ask("platforms", today, minGroup: 4).json.hasSuffix(
                #""suppressed_rows":2,"rows":[{"os.name":"iOS","devices":5,"#
                    + #""device_share":0.625000,"sessions":4,"duration":40.000,"#
                    + #""usage_share":0.400000,"engagement_index":0.640000,"#
                    + #""sessions_per_device":0.800000}]}"#))
        let versions = today + [("dimension", "os.version")]
        #expect(
            try store.ask("versions", versions).lines
                == ["1,5,0.625000,4,4", "2,3,0.375000,3,3"])
        #expect(try store.ask("versions", versions, minGroup: 4).lines == ["1,5,0.625000,4,4,"])
        #expect(
            try store.ask("versions", versions, minGroup: 5).json.hasSuffix(
                #""suppressed_rows":1,"rows":[{"value":"1","devices":5,"share":0.625000,"#
                    + #""sessions":4,"new":null,"suppressed":true}]}"#))
    }

    @Test("funnel: a ratio goes with its own count, the first one's and the one before")
    func funnel() throws {
        let events = ["p", "q", "r"].enumerated().map { SentEvent($1, noon + Int64($0)) }
        let store = try TestStore(
            crowd("a", 4, Array(events.prefix(1))) + crowd("b", 2, Array(events.prefix(2))))
        let asked = today + ["p", "q", "r", "r"].map { ("step", $0) }
        #expect(
            try store.ask("funnel", asked).lines == [
                "1,p,6,1.000000,", "2,q,2,0.333333,0.333333", "3,r,0,0.000000,0.000000",
                "4,r,0,0.000000,",
            ])
        #expect(
            try store.ask("funnel", asked, minGroup: 3).lines == [
                "1,p,6,1.000000,,", "2,q,,,,true", "3,r,,,,true", "4,r,,,,true",
            ])
        #expect(
            try store.ask("funnel", asked, minGroup: 7).lines
                == ["1,p,,,,true", "2,q,,,,true", "3,r,,,,true", "4,r,,,,true"])
    }

    @Test("content: views, completions and credits each by themselves")
    func contents() throws {
        let store = try TestStore(
            crowd("a", 3, [content("view", "w")]) + crowd("b", 2, [content("complete", "w")])
                + crowd("c", 5, [content("view", "x"), content("view", "x")])
                + crowd("d", 2, [content("complete", "x")])
                + crowd("e", 4, [content("view", "y")])
                + crowd("f", 1, [content("view", "z"), content("complete", "z")])
                + crowd("g", 4, [content("complete", "z", noon - day), content("complete", "z")]))
        #expect(
            try store.ask("content", today).lines == [
                "x,10,5,2,2,0.400000,2", "y,4,4,0,0,0.000000,0", "w,3,3,2,2,0.666667,2",
                "z,1,1,5,5,5.000000,1",
            ])
        let report = try store.ask("content", today, minGroup: 4)
        #expect(
            report.lines == ["x,10,5,,,,,true", "y,4,4,0,0,0.000000,0,", "z,,,5,5,,,true"])
        #expect(report.members == [Report.Member("suppressed_rows", .int(1))])
    }

    @Test("a credit can be the only count that is large enough")
    func credited() throws {
        var report = Report(
            try TestStore().question("content", today),
            rows: [
                Report.Row([.text("a"), .int(9), .int(2), .int(9), .int(6), .null, .int(6)]),
                Report.Row([.text("b"), .int(9), .int(0), .int(9), .int(4), .null, .int(5)]),
                Report.Row([.text("c"), .int(9), .int(0), .int(9), .int(0), .null, .int(0)]),
            ])
        report.hideSmallGroups(below: 5, of: 5, by: ContentReport.definition)
        #expect(report.lines == ["a,,,9,6,,6,true", "b,9,0,,,,5,true"])
        #expect(report.members == [Report.Member("suppressed_rows", .int(1))])
    }

    @Test("lifetime: a row goes where few are at risk, and with it what is made of it")
    func lifetime() throws {
        // Lives of 1, 1, 1, 2, 2 and 3 days; four of them are lost.
        let store = try TestStore(
            crowd("a", 3, on: [-4]) + crowd("b", 1, on: [-4, -3]) + crowd("c", 1, on: [-1, 0])
                + crowd("d", 1, on: [-2, -1, 0]))
        let asked = range("2026-03-24", "2026-03-28") + [("inactive", "3")]
        func head(_ minGroup: Int) throws -> [Cell] {
            try store.ask("lifetime", asked, minGroup: minGroup).members.map(\.value)
        }
        #expect(
            try store.ask("lifetime", asked).lines
                == ["1,6,3,0.500000", "2,3,1,0.333333", "3,1,0,0.333333"])
        #expect(try head(1) == [.int(6), .int(4), .int(2), .int(1)])
        #expect(
            try store.ask("lifetime", asked, minGroup: 3).lines
                == ["1,6,3,0.500000,", "2,3,1,0.333333,", "3,,,,true"])
        #expect(try head(3) == [.int(6), .null, .null, .int(1)])
        #expect(try head(7) == [.null, .null, .null, .null])
        // Two devices were there today, neither for the first time; on the day before them nobody.
        #expect(try store.ask("lifetime", today, minGroup: 7).members.map(\.value)[0] == .null)
        #expect(
            try store.ask("lifetime", range("2026-03-01", "2026-03-02"), minGroup: 7)
                .members.map(\.value)[0] == .int(0))
    }

    @Test("an answer of few devices has no figure, whatever its rows say")
    func whole() throws {
        let load = SentEvent("load", noon, "s", [("ms", "1")])
        let odd = SentEvent("load", noon, "s", [("ms", #""x""#)])
        let few = session(noon, seconds: 10) + [load, odd]
        let store = try TestStore(
            crowd("a", 3, os: "Rare", few) + crowd("z", 9, on: [-5])
                + crowd("s", 1, os: "Rare", isShared: true, Array(repeating: load, count: 7)))
        let rare = today + [("os.name", "Rare")]
        let questions: [(name: String, pairs: Pairs)] = [
            ("active", []), ("active", [("interval", "month")]), ("sessions", []),
            ("retention", [("periods", "1")]), ("hours", []), ("lengths", []), ("lifetime", []),
            ("funnel", [("step", "session.start"), ("step", "nothing")]), ("events", []),
            ("counters", []), ("platforms", []), ("versions", [("dimension", "os.name")]),
            ("values", [("name", "load"), ("of", "ms")]), ("content", []), ("videos", []),
            ("values", [("name", "load"), ("of", "ms"), ("by", "os.name")]),
        ]
        for (name, pairs) in questions {
            let report = try store.ask(name, rare + pairs, minGroup: 4)
            #expect(report.members.allSatisfy { $0.value == .null }, "\(name)")
            #expect(
                report.rows.allSatisfy { row in
                    zip(report.columns, row.cells).allSatisfy { $0.group == .key || $1 == .null }
                }, "\(name)")
            #expect(report.rows.allSatisfy { $0.isSuppressed }, "\(name)")
            // As many as the threshold are enough.
            let enough = try store.ask(name, rare + pairs, minGroup: 3).members
            let counted = enough.filter { ["suppressed_rows", "without_number"].contains($0.name) }
            #expect(counted.allSatisfy { $0.value != .null }, "\(name)")
        }
        // A shared device is none, and nobody is not few.
        let nobody = today + [("os.name", "nobody")]
        #expect(
            try store.ask("events", nobody, minGroup: 4).members
                == [Report.Member("suppressed_rows", .int(0))])
    }

    @Test("values: few devices that sent the name hide how many of its events have no number")
    func withoutNumber() throws {
        let odd = SentEvent("load", noon, nil, [("ms", #""x""#)])
        func ask(_ batches: [SentBatch], _ minGroup: Int) throws -> Cell? {
            try TestStore(batches + crowd("z", 9, on: [0])).ask(
                "values", today + [("name", "load"), ("of", "ms")], minGroup: minGroup
            ).members.first?.value
        }
        #expect(try ask(crowd("a", 3, [odd, odd]), 1) == .int(6))
        #expect(try ask(crowd("a", 3, [odd, odd]), 3) == .int(6))
        #expect(try ask(crowd("a", 3, [odd, odd]), 4) == .null)
        #expect(try ask(crowd("a", 1, [odd]), 2) == .null)
        // Of no device that counts.
        #expect(try ask(crowd("s", 1, isShared: true, [odd]), 4) == .int(1))
        #expect(try ask([], 4) == .int(0))
        // A number is an event of the name too: three devices have sent it.
        let number = SentEvent("load", noon, nil, [("ms", "1")])
        #expect(try ask(crowd("a", 1, [odd]) + crowd("b", 2, [number]), 3) == .int(1))
        // Those of another day are not.
        #expect(
            try ask(crowd("a", 1, [odd]) + crowd("b", 2, [SentEvent("load", noon - day)]), 3)
                == .null)
    }

    @Test("devices that come after a count and before the answer hide it all, be they few or many")
    func between() throws {
        let odd = SentEvent("load", noon, nil, [("ms", #""x""#)])
        let pairs = today + [("name", "load"), ("of", "ms")]
        let question = try TestStore().question("values", pairs, minGroup: 4)
        for devices in [1, 3, 4, 9] {
            // All devices are counted, those that have sent the name, then the events.
            for early in 0...2 {
                let queries = ArrayQueries(
                    batches: crowd("a", devices, [odd]), early: ArrayQueries.EarlyCounts(early))
                let report = try ReportRunner.run(question, queries)
                let isShown = early == 0 && devices >= 4
                #expect(
                    report.members.map(\.value) == [isShown ? .count(devices) : .null],
                    "\(devices) after \(early) counts")
            }
        }
        let hours = try TestStore().question("hours", today, minGroup: 4)
        let batches = crowd("a", 9, session(noon, seconds: 10))
        for (early, isShown) in [(0, true), (1, false)] {
            let queries = ArrayQueries(
                batches: batches, early: ArrayQueries.EarlyCounts(early))
            let rows = try ReportRunner.run(hours, queries).rows
            #expect(rows.contains { !$0.isSuppressed } == isShown)
        }
    }

    @Test("quality and rejects have no such count: their answers stay as they are")
    func arrival() throws {
        var batch = crowd("a", 1, on: [0])
        batch[0].receivedAt = noon
        batch[0].rejected = ["invalid-name"]
        let store = try TestStore(batch)
        for name in ["quality", "rejects"] {
            for form in ReportFormat.allCases {
                let plain = try store.ask(name, today).rendered(as: form)
                #expect(try store.ask(name, today, minGroup: 9).rendered(as: form) == plain)
            }
        }
    }
}
