import Events
import Ingest
import Testing

@Suite("Rules of events")
struct EventRuleTests {
    /// The rule for which the batch's only event is rejected.
    private func rule(_ json: String) throws -> EventRule? {
        let batch = try judge(BatchText(events: [json]))
        #expect(batch.events.count + batch.rejected == 1)
        #expect(batch.rejections.count == batch.rejected)
        if batch.rejected > 0 {
            #expect(batch.names.isEmpty && batch.keys == nil && batch.sessions == nil)
            #expect(batch.text.isEmpty)
        }
        return batch.rejections.first?.rule
    }

    @Test("is an object with name and time")
    func shape() throws {
        let bad = [
            "null", "5", #""x""#, "[]", "true", "{}", event(nil), event(time: nil),
            #"{"attributes":{"a":1}}"#, #"{"Name":"a","Time":1}"#, event(nil, time: #""x""#),
            event(#""BAD""#, time: nil), event(nil, "[]"),
        ]
        for json in bad { #expect(try rule(json) == .shape, "\(json)") }
        #expect(
            try rule(#"{"id":"e","name":"a","extra":{"a":[null]},"time":\#(arrival),"Name":5}"#)
                == nil)
    }

    @Test("the name")
    func name() throws {
        for good in ["a", "a.b", "a.1", "a._", "session.paused", String(repeating: "a", count: 64)]
        {
            #expect(try rule(event("\"\(good)\"")) == nil)
        }
        let bad = [
            #""""#, #""Abc""#, #""a..b""#, #""a.""#, #""1a""#, #""a\n""#, #""é""#, "null", "1",
            "false",
            #"["a"]"#, "{}", "\"" + String(repeating: "a", count: 65) + "\"",
            "\"" + String(repeating: #"\u0061"#, count: 65) + "\"", #""\u0041""#,
            "\"" + String(repeating: #"\u0061"#, count: 5000) + "\"",
        ]
        for json in bad { #expect(try rule(event(json)) == .name, "\(json)") }
        #expect(try rule(event("\"" + String(repeating: #"\u0061"#, count: 64) + "\"")) == nil)
        #expect(try rule(event(#""\u0073creen.view""#)) == .missing)
    }

    @Test("the time is an integer")
    func time() throws {
        let bad = [
            "\"\(arrival)\"", "\(arrival).5", "\(arrival).0", "1.7e12", "\(arrival)e0",
            "\(arrival)0e-1",
            "null", "true", "[\(arrival)]", "{}",
        ]
        for json in bad { #expect(try rule(event(time: json)) == .time, "\(json)") }
    }

    @Test("the time is in range")
    func timeRange() throws {
        let day: Int64 = 86_400_000
        for good in [arrival, arrival + day, arrival - 400 * day] {
            #expect(try rule(event(time: "\(good)")) == nil)
        }
        let bad = [
            "\(arrival + day + 1)", "\(arrival - 400 * day - 1)", "0", "-0", "-1",
            "\(arrival / 1000)",
            "\(arrival * 1000)", "9007199254740991", "-9007199254740991", "9007199254740992",
            "9223372036854775807", "-9223372036854775808", "9223372036854775808",
            "18446744073709551616", "18446745837409551616", String(repeating: "1", count: 40),
            "-" + String(repeating: "1", count: 40),
        ]
        for json in bad { #expect(try rule(event(time: json)) == .timeRange, "\(json)") }
    }

    @Test("attributes are a flat object of at most 32")
    func attributes() throws {
        for json in ["null", "[]", #""{}""#, "0", "false"] {
            #expect(try rule(event(#""a""#, json)) == .attributes)
        }
        func many(_ count: Int) -> String {
            "{" + (0..<count).map { "\"k\($0)\":\($0)" }.joined(separator: ",") + "}"
        }
        #expect(try rule(event(#""a""#, many(32))) == nil)
        #expect(try rule(event(#""a""#, many(33))) == .attributeCount)
        #expect(try rule(event(#""a""#, many(5000))) == .attributeCount)
        for (json, broken) in [
            ("null", .attributeNull), ("[]", .attributeList), ("{}", .attributeObject),
            (#"{"a":1}"#, .attributeObject), (#"["a"]"#, .attributeList),
            ("1e400", .attributeNumber), ("-1e400", .attributeNumber),
            ("9007199254740992", .attributeNumber), ("-9007199254740992", .attributeNumber),
            ("1234567890123456789", .attributeNumber),
            ("100000000000000000000", .attributeNumber),
        ] as [(String, EventRule)] {
            #expect(try rule(event(#""a""#, "{\"k\":\(json)}")) == broken, "\(json)")
            #expect(try rule(event(#""a""#, "{\"j\":1,\"k\":\(json),\"l\":2}")) == broken)
            // The first that is met is told; in a key, that.
            #expect(try rule(event(#""a""#, "{\"k\":\(json),\"l\":null,\"m\":[]}")) == broken)
            #expect(try rule(event(#""a""#, "{\"l\":[],\"k\":\(json)}")) == .attributeList)
            #expect(try rule(event(#""a""#, "{\"\":\(json)}")) == .attributeKey)
        }
        for json in [
            "true", "false", "0", "-0", "1.5", "1e300", "9007199254740991",
            "-9007199254740991", #""""#, "1e-400", "9007199254740993.0",
        ] {
            #expect(try rule(event(#""a""#, "{\"k\":\(json)}")) == nil, "\(json)")
        }
    }

    @Test("keys have 1 to 64 bytes, values at most 1,024, of unescaped UTF-8")
    func lengths() throws {
        func times(_ count: Int, _ piece: String) -> String {
            String(repeating: piece, count: count)
        }
        for (key, isGood) in [
            ("", false), ("k", true), (times(64, "k"), true), (times(65, "k"), false),
            (times(32, "é"), true), (times(32, "é") + "k", false), (times(22, "語"), false),
            (times(16, "😀"), true), (times(17, "😀"), false), (times(64, #"\u0041"#), true),
            (times(65, #"\u0041"#), false), (times(32, #"\u00e9"#), true),
            (times(33, #"\u00e9"#), false), (times(1000, #"\n"#), false),
        ] {
            #expect(try rule(event(#""a""#, "{\"\(key)\":1}")) == (isGood ? nil : .attributeKey))
        }
        for (value, isGood) in [
            ("", true), (times(1024, "v"), true), (times(1025, "v"), false),
            (times(512, "é"), true),
            (times(512, "é") + "v", false), (times(256, "😀"), true), (times(257, "😀"), false),
            (times(256, #"\ud83d\ude00"#), true), (times(257, #"\ud83d\ude00"#), false),
            (times(1024, #"\u0041"#), true), (times(1025, #"\u0041"#), false),
            (times(512, #"\r\n"#), true), (times(2000, #"\n"#), false),
        ] {
            #expect(
                try rule(event(#""a""#, "{\"k\":\"\(value)\"}"))
                    == (isGood ? nil : .attributeLength))
        }
    }

    @Test("session.id is a string of 1 to 64 bytes, in any event")
    func session() throws {
        func times(_ count: Int, _ piece: String) -> String {
            "\"" + String(repeating: piece, count: count) + "\""
        }
        for json in [#""s""#, times(64, "s"), times(32, "é"), times(64, #"\u0041"#)] {
            #expect(try rule(event(#""a""#, "{\"session.id\":\(json)}")) == nil)
        }
        for json in [
            #""""#, times(65, "s"), times(33, "é"), times(65, #"\u0041"#), times(1025, "s"), "7",
            "1.5",
            "true", "1e3",
        ] {
            #expect(try rule(event(#""a""#, "{\"session.id\":\(json)}")) == .session, "\(json)")
            #expect(try rule(event(#""session.start""#, "{\"session.id\":\(json)}")) == .session)
        }
        for (json, broken) in [
            ("null", .attributeNull), ("[]", .attributeList), ("{}", .attributeObject),
            ("9223372036854775808", .attributeNumber),
        ] as [(String, EventRule)] {
            #expect(try rule(event(#""a""#, "{\"session.id\":\(json)}")) == broken)
        }
    }

    @Test(
        "a standard event has what it requires, of the right form",
        arguments: StandardEvent.allCases)
    func standard(_ standard: StandardEvent) throws {
        let name = "\"\(standard.name)\""
        let key = standard.required.key
        func attributes(_ json: String) -> String {
            "{\"x\":1,\"\(key)\":\(json)" + (key == "session.id" ? "}" : ",\"session.id\":\"s\"}")
        }
        let longest = standard.required == .sessionID ? 64 : 128
        let wrong: EventRule = standard.required == .sessionID ? .session : .requiredType
        func text(_ count: Int, _ piece: String = "v") -> String {
            "\"" + String(repeating: piece, count: count) + "\""
        }
        for good in [text(1), text(longest), text(longest / 2, "é"), text(longest, #"\u0041"#)] {
            #expect(try rule(event(name, attributes(good))) == nil)
        }
        for bad in [
            text(0), text(longest + 1), text(longest / 2 + 1, "é"), "5", "true", "1.5",
            text(longest + 1, #"\u0041"#),
        ] {
            #expect(try rule(event(name, attributes(bad))) == wrong)
        }
        #expect(try rule(event(name)) == .missing)
        #expect(try rule(event(name, "{}")) == .missing)
        #expect(try rule(event(name, #"{"other":"x"}"#)) == .missing)
        // The name may come last.
        #expect(
            try rule("{\"attributes\":{\"q\":1},\"time\":\(arrival),\"name\":\(name)}") == .missing)
        // Another event does not care.
        if standard.required != .sessionID {
            #expect(try rule(event(#""own.event""#, attributes("5"))) == nil)
            #expect(try rule(event(#""own.event""#, attributes(text(129)))) == nil)
        }
    }

    @Test("counter.value is an integer from 1 to 10^9, only in usage.counter")
    func counterValue() throws {
        func attributes(_ json: String) -> String {
            "{\"counter.value\":\(json),\"counter.name\":\"c\"}"
        }
        for good in ["1", "2", "1000000000"] {
            #expect(try rule(event(#""usage.counter""#, attributes(good))) == nil)
        }
        for bad in [
            "0", "-1", "1000000001", "4294967297", "1.5", "3.0", "1e3", #""3""#, "true", #""""#,
        ] {
            #expect(try rule(event(#""usage.counter""#, attributes(bad))) == .requiredType)
            #expect(try rule(event(#""app.tap""#, attributes(bad))) == nil)
        }
        #expect(try rule(event(#""usage.counter""#, #"{"counter.value":0}"#)) == .missing)
    }

    @Test("the first rule in the table's order is reported, whatever the order of the members")
    func order() throws {
        let name: [(String, EventRule?)] = [(#""BAD""#, .name), (#""screen.view""#, nil)]
        let time: [(String, EventRule?)] = [("1.5", .time), ("1", .timeRange), ("\(arrival)", nil)]
        let attributes: [(String, EventRule?)] = [
            ("[]", .attributes), (#"{"session.id":1,"x":null}"#, .attributeNull),
            (#"{"x":null,"session.id":1}"#, .attributeNull), (#"{"session.id":1}"#, .session),
            ("{}", .missing), (#"{"app.screen.name":1}"#, .requiredType),
            (#"{"app.screen.name":"x"}"#, nil),
        ]
        for (nameJSON, nameRule) in name {
            for (timeJSON, timeRule) in time {
                for (attributesJSON, attributesRule) in attributes {
                    let expected = [nameRule, timeRule, attributesRule].compactMap(\.self).min()
                    let members = [
                        "\"name\":\(nameJSON)", "\"time\":\(timeJSON)",
                        "\"attributes\":\(attributesJSON)",
                    ]
                    for order in [
                        [0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0],
                    ] {
                        let json = "{" + order.map { members[$0] }.joined(separator: ",") + "}"
                        #expect(try rule(json) == expected, "\(json)")
                    }
                }
            }
        }
    }

    @Test("one of each keeps its index, the first 20 are told, all are counted")
    func counting() throws {
        let each = try judge(
            BatchText(events: [
                event(), "0", event(#""""#), event(time: "1.5"), event(time: "1"),
                event(#""a""#, "[]"),
                event(#""screen.view""#), event(#""screen.view""#, #"{"app.screen.name":1}"#),
                event(),
            ]))
        #expect(each.events.map(\.index) == [0, 8])
        #expect(each.rejections.map(\.index) == [1, 2, 3, 4, 5, 6, 7])
        #expect(
            each.rejections.map(\.rule) == [
                .shape, .name, .time, .timeRange, .attributes, .missing, .requiredType,
            ])
        #expect(
            each.rejectionCounts == [
                RejectionCount(code: "invalid-event", count: 1, firstIndex: 1),
                RejectionCount(code: "invalid-name", count: 1, firstIndex: 2),
                RejectionCount(code: "invalid-time", count: 1, firstIndex: 3),
                RejectionCount(code: "time-out-of-range", count: 1, firstIndex: 4),
                RejectionCount(code: "invalid-attribute", count: 2, firstIndex: 5),
                RejectionCount(code: "missing-attribute", count: 1, firstIndex: 6),
            ])
        let many = try judge(BatchText(events: [event()] + [String](repeating: "0", count: 21)))
        #expect(many.rejected == 21)
        #expect(many.rejections.map(\.index) == Array(1...20))
        #expect(
            many.rejectionCounts == [
                RejectionCount(code: "invalid-event", count: 21, firstIndex: 1)
            ])
    }
}
