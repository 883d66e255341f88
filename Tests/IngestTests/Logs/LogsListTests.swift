import TestSupport
import Testing

@testable import Ingest

/// Arrays and kvlists as JSON (RFC 8785; spec: OpenTelemetry, The mapping).
@Suite("a list of a log record")
struct LogsListTests {
    /// The text that is stored; nil if there is none.
    private func text(_ value: SentValue) throws -> String? {
        guard let json = try Logs.attributes(["k": value])?["k"] else { return nil }
        // The string within, its two escapes undone.
        let text = String(json.dropFirst().dropLast())
        return text.replacing("\\\"", with: "\"").replacing("\\\\", with: "\\")
    }

    /// Values inside a list, and their JSON.
    static let elements: [(SentValue, String)] = [
        ("", #""""#), ("a\"\\/\n\r\t\u{8}\u{c}\u{1f}\u{7f}", #""a\"\\/\n\r\t\b\f\u001f\#u{7f}""#),
        ("é😀\u{2028}", "\"é😀\u{2028}\""), (true, "true"), (false, "false"), (0, "0"),
        (.int(9_007_199_254_740_991), "9007199254740991"),
        (.int(9_007_199_254_740_993), "9007199254740993"), (.int(.max), "9223372036854775807"),
        (.int(.min), "-9223372036854775808"), (-7, "-7"), (1.0, "1"), (-0.0, "0"), (1e21, "1e+21"),
        (1e20, "100000000000000000000"), (0.1, "0.1"), (333333333.33333329, "333333333.3333333"),
        (1E30, "1e+30"), (4.50, "4.5"), (2e-3, "0.002"), (1e-27, "1e-27"),
        (.double(.nan), #""NaN""#), (.double(.infinity), #""Infinity""#),
        (.double(-.infinity), #""-Infinity""#), (.bytes([]), #""""#),
        (.bytes([0xfb, 0xff]), #""+/8=""#), (.empty, "null"), ([], "[]"), ([:], "{}"),
        ([nil, [nil]], "[null,[null]]"),
    ]

    @Test("has each kind of value as RFC 8785 writes it, ints with all their digits")
    func kinds() throws {
        for (value, expected) in Self.elements {
            #expect(try text([value]) == "[\(expected)]")
            #expect(try text(["k": value]) == "{\"k\":\(expected)}")
            #expect(try text([1, value, "x", value]) == "[1,\(expected),\"x\",\(expected)]")
            #expect(try text([["k": [value]]]) == "[{\"k\":[\(expected)]}]")
        }
        let all = SentValue.list(Self.elements.map(\.0))
        let expected = "[" + Self.elements.map(\.1).joined(separator: ",") + "]"
        #expect(try text(all) == expected && expected.utf8.count < 1024)
        #expect(try text(["k": .absent]) == #"{"k":null}"#)
    }

    /// Keys in the order of their UTF-16.
    static let keys = [
        "", "\u{1}", "\t", "\n", "\r", " ", "\"", "1", "10", "2", "A", "Z", "\\", "a", "aa", "ab",
        "b", "\u{7f}", "\u{80}", "\u{f6}", "\u{7ff}", "\u{800}", "\u{20ac}", "\u{d7ff}",
        // Scalars beyond the first plane are surrogates, which come before these.
        "\u{10000}", "\u{10ffff}", "\u{10ffff}a", "\u{e000}", "\u{fb33}", "\u{fffd}", "\u{ffff}",
        "\u{ffff}\u{10000}", "\u{ffff}\u{ffff}",
    ]

    @Test("has its keys in the order of their UTF-16")
    func order() throws {
        let utf16 = Self.keys.map { Array($0.utf16) }
        #expect(zip(utf16, utf16.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) })
        let members = Self.keys.enumerated().map { index, key in
            JSONStyle.canonical(key) + ":\(index)"
        }
        let expected = "{" + members.joined(separator: ",") + "}"
        var pairs = Self.keys.enumerated().map { index, key in
            (key: SentText(key), value: SentValue.int(Int64(index)))
        }
        var source = SystemRandomNumberGenerator()
        for round in 0..<20 {
            #expect(try text(.map(SentAttributes(pairs))) == expected, "\(pairs.map(\.value))")
            if round % 2 == 0 { pairs.reverse() } else { pairs.shuffle(using: &source) }
        }
    }

    @Test("has any two keys in that order")
    func pairs() throws {
        for (left, first) in Self.keys.enumerated() {
            for second in Self.keys.dropFirst(left + 1) {
                let expected =
                    "{\(JSONStyle.canonical(first)):1,\(JSONStyle.canonical(second)):2}"
                let sent: SentAttributes = [SentText(second): 2, SentText(first): 1]
                let bytes = SentLogs(SentRecord(["k": .map(sent)])).protobuf
                let stored = try Logs.accept(bytes, .protobuf).events.first?.attributes["k"]
                #expect(stored == JSONStyle.canonical(expected))
            }
        }
    }

    @Test("takes the last of equal keys")
    func last() throws {
        #expect(try text(.map(["b": 1, "a": 1, "b": 2])) == #"{"a":1,"b":2}"#)
        #expect(try text(.map(["a": 1, "a": "x", "a": nil])) == #"{"a":null}"#)
        #expect(try text(.map(["a": 1, "a": .absent])) == #"{"a":null}"#)
        #expect(
            try text([.map(["x": .map(["a": 1, "a": 2]), "x": .map(["b": 1, "b": 3])])])
                == #"[{"x":{"b":3}}]"#)
        let many = (0..<2000).map { index in
            (key: SentText("k\(index % 5)"), value: SentValue.int(Int64(index)))
        }
        #expect(
            try text(.map(SentAttributes(many)))
                == #"{"k0":1995,"k1":1996,"k2":1997,"k3":1998,"k4":1999}"#)
    }

    @Test("shows what a member has left room for that became shorter")
    func shorter() throws {
        let long = SentValue.text(String(repeating: "x", count: 1100))
        let others = (0..<300).map { index in
            (key: SentText("k\(index + 100)"), value: SentValue.int(1))
        }
        let first: (key: SentText, value: SentValue) = (key: "a", value: long)
        let last: (key: SentText, value: SentValue) = (key: "a", value: 7)
        let expected =
            #"{"a":7,"# + (0..<300).map { "\"k\($0 + 100)\":1" }.joined(separator: ",")
        let cut = String(expected.prefix(1024))
        #expect(try text(.map(SentAttributes([first] + others + [last]))) == cut)
        #expect(try text(.map(SentAttributes([first] + others.reversed() + [last]))) == cut)
        let shown = #"{"a":""# + String(repeating: "x", count: 1024 - 6)
        #expect(try text(.map(SentAttributes([last] + others + [first]))) == shown)
    }

    @Test("is the same wherever its members are repeated", arguments: [1, 2, 3] as [UInt64])
    func repeated(seed: UInt64) throws {
        var source = SplitMix(seed: seed)
        // Some differ only where no text shows it.
        let stems = ["", "k", "é", "\u{10000}", String(repeating: "x", count: 1500)]
        var last: [String: String] = [:]
        var pairs: [(key: SentText, value: SentValue)] = []
        for index in 0..<3000 {
            let choices = stems.count - (index % 7 == 0 ? 0 : 1)
            let stem = stems[Int.random(in: 0..<choices, using: &source)]
            let key = stem + String(Int.random(in: 0..<150, using: &source))
            let length = Int.random(in: 0...9, using: &source) == 0 ? 200 : 1
            let value = String(repeating: "v", count: length) + "\(index)"
            pairs.append((key: SentText(key), value: .text(value)))
            last[key] = value
        }
        let sorted = last.sorted { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }
        let whole =
            "{" + sorted.map { "\"\($0.key)\":\"\($0.value)\"" }.joined(separator: ",") + "}"
        var cut = Array(whole.utf8.prefix(1024))
        while String(validating: cut, as: UTF8.self) == nil { cut.removeLast() }
        #expect(try text(.map(SentAttributes(pairs))) == String(decoding: cut, as: UTF8.self))
    }

    @Test("may lie in another, each of them in order")
    func nested() throws {
        let value: SentValue = [
            "z": ["y": [["b": 1, "a": [["d": 1, "c": nil]]], []], "x": [:]], "a": [[[]], [[:]]],
        ]
        #expect(
            try text(value)
                == #"{"a":[[[]],[{}]],"z":{"x":{},"y":[{"a":[{"c":null,"d":1}],"b":1},[]]}}"#)
        // Escaped keys on every level, before and after what is within.
        let keys: SentValue = [
            "\n": ["\u{1}b": ["\t": 1, "\"": 2, "\r": 3], "\u{1}a": 4], "\\": ["\n": 5], "": 6,
        ]
        #expect(
            try text(keys)
                == #"{"":6,"\n":{"\u0001a":4,"\u0001b":{"\t":1,"\r":3,"\"":2}},"\\":{"\n":5}}"#)
    }

    @Test(
        "is the same in whatever order its keys were sent, as part of what records are known by too"
    )
    func fingerprints() throws {
        let one: SentValue = ["a": 1, "b": ["c": true, "d": "x"]]
        let two: SentValue = ["b": ["d": "x", "c": true], "a": 1]
        #expect(
            try Logs.accept(SentLogs(SentRecord(["k": one]))).batches[0].batch.fingerprints
                == Logs.accept(SentLogs(SentRecord(["k": two]))).batches[0].batch.fingerprints)
    }
}

extension JSONStyle {
    /// A string as RFC 8785 §3.2.2.2 writes it.
    static func canonical(_ text: String) -> String {
        var out = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\u{8}": out += #"\b"#
            case "\t": out += #"\t"#
            case "\n": out += #"\n"#
            case "\u{c}": out += #"\f"#
            case "\r": out += #"\r"#
            case "\"", "\\": out += #"\"# + String(scalar)
            case "\0"..<" ":
                let digits = String(scalar.value, radix: 16)
                out += #"\u"# + String(repeating: "0", count: 4 - digits.count) + digits
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }
}
