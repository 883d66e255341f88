import Events
import Testing

@testable import Ingest

/// spec: OpenTelemetry, The mapping: what values become.
@Suite("a value of a log record")
struct LogsValueTests {
    static let safe: Int64 = 9_007_199_254_740_991

    /// Values, and their JSON; nil: there is no attribute.
    static let values: [(SentValue, String?)] = [
        ("", #""""#), ("x", #""x""#), ("a\"\\/\n\u{1}\u{7f}", #""a\"\\/\n\u0001\#u{7f}""#),
        ("grüße 😀\u{ffff}\u{2028}", "\"grüße 😀\u{ffff}\u{2028}\""),
        (true, "true"), (false, "false"), (0, "0"), (-1, "-1"),
        (.int(safe), "9007199254740991"), (.int(-safe), "-9007199254740991"),
        (.int(safe + 1), #""9007199254740992""#), (.int(-safe - 1), #""-9007199254740992""#),
        (.int(.max), #""9223372036854775807""#), (.int(.min), #""-9223372036854775808""#),
        (1.5, "1.5"), (-0.5, "-0.5"), (1.0, "1"), (0.0, "0"), (-0.0, "0"), (1e21, "1e+21"),
        (1e20, "100000000000000000000"), (9007199254740993.0, "9007199254740992"),
        (.double(.leastNonzeroMagnitude), "5e-324"), (1e-7, "1e-7"), (0.000001, "0.000001"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
        (.double(.nan), #""NaN""#), (.double(.infinity), #""Infinity""#),
        (.double(-.infinity), #""-Infinity""#),
        (.bytes([]), #""""#), (.bytes([0]), #""AA==""#), (.bytes([0xfb, 0xff]), #""+/8=""#),
        (.bytes([0xfb, 0xff, 0xbf]), #""+/+/""#), (.bytes([1, 2, 3, 4]), #""AQIDBA==""#),
        ([], #""[]""#), ([:], #""{}""#), ([1, "a"], #""[1,\"a\"]""#),
        (["k": nil], #""{\"k\":null}""#),
        (.empty, nil), (.absent, nil),
    ]

    @Test("becomes what the table says", arguments: values.indices)
    func table(case index: Int) throws {
        let (value, expected) = Self.values[index]
        #expect(try Logs.attributes(["k": value, "z": 1])?["k"] == expected)
        #expect(try Logs.attributes(["k": value, "z": 1])?["z"] == "1")
        #expect(LogMapping.values.count == 9)
    }

    @Test("a NaN of whatever bits is one")
    func notANumber() throws {
        for bits in [0x7ff8_0000_0000_0000, 0xfff8_0000_0000_0000, 0x7ff0_0000_0000_0001, .max]
            as [UInt64]
        {
            let value = SentValue.double(Double(bitPattern: bits))
            #expect(try Logs.attributes(["k": value])?["k"] == #""NaN""#)
        }
    }

    @Test("base64 of every length and byte is that of RFC 4648")
    func base64() throws {
        let all = (0...255).map { UInt8($0) }
        for bytes in [all, all.reversed(), all + [0], all + [0, 1], Array(all[0..<59])] {
            let expected = JSONStyle.plain.bytes(bytes)
            #expect(try Logs.attributes(["k": .bytes(bytes)])?["k"] == expected)
        }
    }

    /// Texts, and how many bytes of them are stored.
    static let cuts: [(String, Int)] = [
        (String(repeating: "a", count: 1024), 1024), (String(repeating: "a", count: 1025), 1024),
        (String(repeating: "a", count: 100_000), 1024),
        (String(repeating: "é", count: 512), 1024), (String(repeating: "é", count: 513), 1024),
        ("a" + String(repeating: "é", count: 512), 1023),
        ("a" + String(repeating: "語", count: 341), 1024),
        ("ab" + String(repeating: "語", count: 341), 1022),
        (String(repeating: "語", count: 342), 1023),
        (String(repeating: "😀", count: 257), 1024),
        ("a" + String(repeating: "😀", count: 256), 1021),
        ("ab" + String(repeating: "😀", count: 256), 1022),
        ("abc" + String(repeating: "😀", count: 256), 1023),
        // Scalars, not what looks like one character.
        (String(repeating: "a", count: 1021) + "e\u{301}", 1024),
        (String(repeating: "a", count: 1022) + "e\u{301}", 1023),
        // Bytes of the text, not of its JSON.
        (String(repeating: "\n", count: 1025), 1024), (String(repeating: "\"", count: 1024), 1024),
    ]

    @Test("a string is cut to 1,024 bytes between scalars", arguments: cuts.indices)
    func cut(case index: Int) throws {
        let (text, count) = Self.cuts[index]
        let stored = try Logs.attributes(["k": .text(text)])?["k"]
        #expect(
            stored == JSONStyle.canonical(String(decoding: text.utf8.prefix(count), as: UTF8.self)))
    }

    @Test("a string that was made of bytes or a list is cut as well")
    func madeCut() throws {
        let bytes = [UInt8](repeating: 0xff, count: 769)
        #expect(
            try Logs.attributes(["k": .bytes(bytes)])?["k"]
                == "\"" + String(repeating: "/", count: 1024) + "\"")
        let list: SentValue = [.text(String(repeating: "é", count: 600))]
        #expect(
            try Logs.attributes(["k": list])?["k"]
                == #""[\""# + String(repeating: "é", count: 511) + "\"")
        let odd: SentValue = [.text("a" + String(repeating: "é", count: 600))]
        #expect(
            try Logs.attributes(["k": odd])?["k"]
                == #""[\"a"# + String(repeating: "é", count: 510) + "\"")
    }

    /// What `session.id` becomes; nil: the record is rejected.
    static let sessions: [(SentValue, String?)] = [
        ("s", "s"), (.text(String(repeating: "s", count: 64)), String(repeating: "s", count: 64)),
        ("é😀", "é😀"), (.bytes([0]), "AA=="), (["a"], #"[\"a\"]"#), ([:], "{}"),
        // Strings once they are mapped.
        (.int(.max), "9223372036854775807"), (.int(-safe - 1), "-9007199254740992"),
        (.double(.nan), "NaN"), (.double(-.infinity), "-Infinity"),
        (.text(String(repeating: "s", count: 65)), nil), ("", nil), (.bytes([]), nil), (5, nil),
        (.int(safe), nil), (true, nil), (1.5, nil), (.bytes(.init(repeating: 0, count: 49)), nil),
        (.text(String(repeating: "s", count: 2000)), nil),
    ]

    @Test("session.id counts as what it becomes", arguments: sessions.indices)
    func session(case index: Int) throws {
        let (value, expected) = Self.sessions[index]
        for name in ["a", "session.start"] {
            let logs = try Logs.accept(SentLogs(SentRecord(name, ["session.id": value, "z": 1])))
            #expect(logs.events.map(\.session) == (expected.map { [$0] } ?? []))
            #expect(logs.rejected == (expected == nil ? ["invalid-attribute×1@0/0/0"] : []))
            #expect(logs.events.allSatisfy { $0.attributes == ["z": "1"] })
        }
    }

    @Test("a required attribute counts as what it becomes")
    func required() throws {
        for (value, code) in [
            ("x", nil), (.bytes([0]), nil), ([1], nil), (.int(.max), nil), (.double(.nan), nil),
            (5, "invalid-attribute"), (true, "invalid-attribute"), (1.5, "invalid-attribute"),
            ("", "invalid-attribute"), (.empty, "missing-attribute"),
            (.text(String(repeating: "x", count: 129)), "invalid-attribute"),
        ] as [(SentValue, String?)] {
            #expect(try Logs.code(SentRecord("content.view", ["content.id": value])) == code)
        }
        for (value, code) in [
            (1, nil), (1_000_000_000, nil), (.empty, nil), (0, "invalid-attribute"),
            (1_000_000_001, "invalid-attribute"), (1.0, "invalid-attribute"),
            ("1", "invalid-attribute"), (.int(.max), "invalid-attribute"),
        ] as [(SentValue, String?)] {
            let sent: SentAttributes = ["counter.name": "n", "counter.value": value]
            #expect(try Logs.code(SentRecord("usage.counter", sent)) == code)
        }
    }
}
