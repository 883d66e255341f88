import Events
import Ingest
import Testing

@Suite("Rules of the batch")
struct BatchRuleTests {
    @Test("the example of the contract is taken whole")
    func example() throws {
        let batch = try judge(
            """
            {
              "schema": 1,
              "batch_id": "0193a1f2-7c11-7b0e-9a55-0c7d7f4f5a01",
              "sent_at": 1763700000000,
              "sequence": 42,
              "dropped_events": 7,
              "resource": {
                "app.installation.id": "8f14e45f-ceea-467a-9575-4d0f0c0b7a11",
                "os.name": "iOS", "os.version": "18.1",
                "device.model.identifier": "iPhone16,2", "device.manufacturer": "Apple",
                "service.version": "5.2.0", "app.build_id": "5201",
                "telemetry.sdk.name": "sojourn-swift", "telemetry.sdk.version": "1.0.0"
              },
              "events": [
                {"name": "session.start", "time": 1763699940000,
                 "attributes": {"session.id": "s-1"}},
                {"name": "screen.view", "time": 1763699941250,
                 "attributes": {"session.id": "s-1", "app.screen.name": "menu"}},
                {"name": "usage.counter", "time": 1763699942000,
                 "attributes": {"counter.name": "tap.order", "counter.value": 3}},
                {"name": "session.end", "time": 1763699990000, "attributes": {"session.id": "s-1"}}
              ]
            }
            """)
        #expect(batch.batchID == "0193a1f2-7c11-7b0e-9a55-0c7d7f4f5a01")
        #expect(batch.sequence == 42)
        #expect(batch.droppedEvents == 7)
        #expect(batch.clockShift == 0)
        #expect(batch.rawDeviceID == Array("8f14e45f-ceea-467a-9575-4d0f0c0b7a11".utf8))
        #expect(
            batch.resource.texts == [
                "iOS", "18.1", "iPhone16,2", "Apple", "5.2.0", "5201", "sojourn-swift", "1.0.0",
            ])
        #expect(batch.rejected == 0)
        #expect(batch.names == ["session.start", "screen.view", "usage.counter", "session.end"])
        #expect(batch.sessions == #"["s-1"]"#)
        #expect(batch.keys == #"["app.screen.name","counter.name","counter.value"]"#)
        #expect(batch.events.map(\.index) == [0, 1, 2, 3])
        #expect(batch.events.map(\.name) == [0, 1, 2, 3])
        #expect(batch.events.map(\.session) == [0, 0, -1, 0])
        #expect(
            batch.events.map(\.time) == [
                1_763_699_940_000, 1_763_699_941_250, 1_763_699_942_000, 1_763_699_990_000,
            ])
        #expect((0..<4).map(batch.blob) == [nil, #"0,"menu""#, #"1,"tap.order",2,3"#, nil])
    }

    private static let safe = 9_007_199_254_740_991

    @Test(
        "a member at its limits is taken",
        arguments: [
            ("schema", nil), ("schema", "1"), ("sent_at", nil), ("batch_id", #""q""#),
            ("batch_id", "\"" + String(repeating: "x", count: 64) + "\""),
            ("batch_id", #""AZaz09._:-""#), ("batch_id", #""\u0062x""#),
            ("sequence", "0"), ("sequence", "-0"), ("sequence", "\(safe)"),
            ("dropped_events", "0"), ("dropped_events", "\(safe)"), ("unknown", "null"),
            ("Schema", "9"), ("extensions", #"{"a":[1,{"b":null}]}"#), ("events", "[]"),
        ] as [(String, String?)])
    func limits(_ name: String, _ json: String?) {
        #expect(broken(BatchText((name, json)).text) == nil)
    }

    @Test(
        "a member beyond them breaks its rule",
        arguments: [
            (
                "schema",
                [
                    "2", "0", "-1", #""1""#, "null", "true", "[1]", "{}", "1.5", "1.0", "10",
                    "18446744073709551617", "1e0",
                ], .schema
            ),
            (
                "batch_id",
                [
                    #""""#, "null", "7", "true", #"["a"]"#, "{}", #""a b""#, #""a\n""#, #""a/b""#,
                    #""é""#, #""Ａ""#, #""a,b""#, #""a\"""#, "\"a\u{7f}\"", #""a@""#, #""a[""#,
                    #""a`""#,
                    #""a{""#, "\"" + String(repeating: "x", count: 65) + "\"",
                    "\"" + String(repeating: "x", count: 1000) + "\"",
                ], .batchID
            ),
            (
                "sent_at",
                [
                    #""1""#, "1.5", "1.0", "1e3", "null", "true", "[]", "{}", "-1",
                    "9007199254740992", "9223372036854775808",
                ], .sentAt
            ),
            (
                "sequence",
                [
                    #""1""#, "1.5", "1.0", "null", "true", "[]", "-1", "9007199254740992",
                    "18446744073709551616", "111111111111111111111111111111",
                ], .sequence
            ),
            (
                "dropped_events", [#""1""#, "1.5", "1.0", "null", "[]", "-1", "9007199254740992"],
                .droppedEvents
            ),
            ("resource", ["null", "[]", #""x""#, "1", "true", #"[{"device.id":"d"}]"#], .resource),
            ("events", ["null", "{}", #""[]""#, "0", "false"], .events),
        ] as [(String, [String], BatchRule)])
    func beyond(_ name: String, _ values: [String], _ rule: BatchRule) {
        for json in values {
            #expect(broken(BatchText((name, json)).text) == rule, "\(name): \(json)")
        }
    }

    @Test("what is required has to be there")
    func absences() throws {
        #expect(broken(BatchText(("batch_id", nil)).text) == .batchID)
        #expect(broken(BatchText(("resource", nil)).text) == .resource)
        #expect(broken(BatchText(("events", nil)).text) == .events)
        #expect(broken("{}") == .batchID)
        #expect(broken("{}", profile: .legacy) == .resource)
        #expect(try judge(BatchText(("batch_id", nil)), profile: .legacy).batchID == nil)
        #expect(broken(BatchText(("batch_id", "null")).text, profile: .legacy) == .batchID)
    }

    @Test("the first rule in the table's order is reported, wherever the members stand")
    func order() {
        let wrong: [(String, String, BatchRule)] = [
            ("schema", "2", .schema), ("batch_id", "1", .batchID), ("sent_at", "-1", .sentAt),
            ("sequence", "-1", .sequence), ("dropped_events", "-1", .droppedEvents),
            ("resource", "1", .resource), ("events", "1", .events),
        ]
        for first in wrong.indices {
            for second in wrong.indices where second > first {
                for swapped in [false, true] {
                    var batch = BatchText()
                    let pair =
                        swapped ? [wrong[second], wrong[first]] : [wrong[first], wrong[second]]
                    for (name, json, _) in pair {
                        batch[name] = nil
                        batch[name] = json
                    }
                    #expect(broken(batch.text) == wrong[first].2)
                }
            }
        }
        let resource = BatchText(("resource", #"{"os.name":1,"device.id":2}"#), ("events", "1"))
        #expect(broken(resource.text) == .deviceID)
    }

    @Test(
        "a text that is not one I-JSON object wins over everything",
        arguments: [
            "", " ", "[]", "1", "null", #""x""#, "{", #"{"schema":2"#, #"{"schema":2}}"#,
            #"{"schema":2,"schema":2}"#, #"{"schema":2,"events":[{"name":1,"name":2}]}"#,
            #"{"schema":2,"resource":{"device.id":1,"device.id":2}}"#,
            #"{"schema":2,"events":[{"attributes":{"session.id":"a","session.id":"a"}}]}"#,
            #"{"schema":2,"events":[1,2,]}"#, #"{"schema":2,"x":"\ud800"}"#,
            #"{"schema":2,"x":"\u0000"}"#, #"{"schema":2} x"#, "\u{feff}{}",
            #"{"schema":2,"x":[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]}"#,
        ])
    func malformed(_ text: String) {
        #expect(broken(text) == .text)
    }

    @Test("depth 16 is taken")
    func depth() {
        let deep = String(repeating: "[", count: 15) + String(repeating: "]", count: 15)
        #expect(broken(BatchText(("x", deep)).text) == nil)
        #expect(broken(BatchText(("x", "[" + deep + "]")).text) == .text)
    }

    @Test("as many events as allowed are taken, one more is too many, whatever they are")
    func eventCount() throws {
        let ok = BatchText(events: [String](repeating: event(), count: 5000))
        #expect(try judge(ok).events.count == 5000)
        let bad = BatchText(events: [String](repeating: "0", count: 5000))
        #expect(try judge(bad).rejected == 5000)
        #expect(
            broken(BatchText(events: [String](repeating: event(), count: 5001)).text) == .eventCount
        )
        #expect(
            broken(BatchText(events: [String](repeating: "0", count: 20_000)).text) == .eventCount)
        let alsoSchema = BatchText(events: [String](repeating: "0", count: 5001), ("schema", "2"))
        #expect(broken(alsoSchema.text) == .schema)
        let alsoMalformed = BatchText(events: [String](repeating: "0", count: 5001) + ["x"])
        #expect(broken(alsoMalformed.text) == .text)
    }

    @Test("escaped names of members are the same names")
    func escapedNames() throws {
        let text = #"""
            {"\u0062atch_id":"b","r\u0065source":{"\u0064evice.id":"d","os\u002ename":"x"},
             "event\u0073":[{"\u006eame":"a","tim\u0065":\#(arrival),
              "attr\u0069butes":{"session\u002eid":"s"}}]}
            """#
        let batch = try judge(text)
        #expect(batch.resource.osName == "x")
        #expect(batch.events.count == 1)
        #expect(batch.sessions == #"["s"]"#)
        #expect(batch.keys == nil)
    }

    @Test("a judge is as good after a refusal as before")
    func reuse() throws {
        var judge = BatchJudge()
        let context = JudgeContext(profile: .plain, arrival: arrival)
        let good = Array(
            BatchText(events: [event(#""screen.view""#, #"{"app.screen.name":"x","k":1}"#)]).text
                .utf8)
        let others = [
            #"{"events":[{"name":"a","time":1,"attributes":{"z":"#, BatchText(("schema", "2")).text,
            BatchText(events: [event(nil), event(#""b""#, #"{"other":1,"session.id":"q"}"#)]).text,
        ]
        for other in others {
            let octets = Array(other.utf8)
            _ = try? judge.judge(octets.span, context)
            let batch = try judge.judge(good.span, context)
            #expect(batch.names == ["screen.view"])
            #expect(batch.keys == #"["app.screen.name","k"]"#)
            #expect(batch.sessions == nil)
            #expect(batch.rejected == 0 && batch.rejections.isEmpty)
            #expect(batch.blob(0) == #"0,"x",1,1"#)
        }
    }

    @Test("rejections of one batch are not counted in the next")
    func rejectionsApart() throws {
        var judge = BatchJudge()
        let octets = Array(BatchText(events: ["0", event(), event(time: "1")]).text.utf8)
        let context = JudgeContext(profile: .plain, arrival: arrival)
        let first = try judge.judge(octets.span, context)
        let second = try judge.judge(octets.span, context)
        #expect(first.rejectionCounts.map(\.count) == [1, 1])
        #expect(first.rejectionCounts == second.rejectionCounts)
        #expect(first.rejections == second.rejections && second.rejected == 2)
    }
}
