import JSON
import Testing

@Suite("Tokens")
struct TokenTests {
    private func token(_ text: String) throws -> Token {
        var scanner = Scanner()
        let octets = Array(text.utf8)
        try scanner.reset(octets.span)
        let token = try scanner.value(octets.span)
        try scanner.skipRest(of: token, octets.span)
        try scanner.finish(octets.span)
        return token
    }

    @Test(
        "an integer has its value",
        arguments: [
            ("0", 0), ("-0", 0), ("7", 7), ("-7", -7), ("12345678", 12_345_678),
            ("99999999", 99_999_999), ("123456789", 123_456_789),
            ("1763700000000", 1_763_700_000_000), ("9007199254740991", 9_007_199_254_740_991),
            ("-9007199254740991", -9_007_199_254_740_991),
            ("999999999999999999", 999_999_999_999_999_999),
            ("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min),
        ])
    func integers(_ text: String, _ value: Int64) throws {
        let token = try token(text)
        #expect(token.kind == .integer)
        #expect(token.integer == value)
        #expect(token.start == 0 && token.end == text.utf8.count)
        // Behind it, digits of other numbers do not count.
        let octets = Array("[\(text),99999999]".utf8)
        var scanner = Scanner()
        try scanner.reset(octets.span)
        _ = try scanner.value(octets.span)
        #expect(try scanner.element(octets.span))
        #expect(try scanner.value(octets.span).integer == value)
    }

    @Test(
        "an integer beyond 64 bits is one, without a value",
        arguments: [
            "9223372036854775808", "-9223372036854775809", "18446744073709551617",
            "10000000000000000000", "99999999999999999999", String(repeating: "1", count: 30),
            "-" + String(repeating: "9", count: 400),
        ])
    func hugeIntegers(_ text: String) throws {
        let token = try token(text)
        #expect(token.kind == .hugeInteger)
        #expect(token.integer == nil)
    }

    @Test(
        "a fraction or an exponent makes it no integer",
        arguments: ["1.0", "1e3", "1E3", "0.0", "-0.5", "1e0", "12345678.5", "12345678e1"])
    func decimals(_ text: String) throws {
        let token = try token(text)
        #expect(token.kind == .decimal)
        #expect(token.integer == nil)
    }

    @Test("digits are told from the octets next to them")
    func digitNeighbours() {
        for octet in UInt8(0)...255 where !(0x30...0x39).contains(octet) {
            for place in 1..<8 {
                var text = Array("1234567812345678".utf8)
                text[place] = octet
                #expect(refusal(text) != nil || octet == 0x2e || octet | 0x20 == 0x65)
            }
        }
    }

    @Test("words, strings, objects and arrays are told apart")
    func kinds() throws {
        #expect(try token("true").kind == .true)
        #expect(try token("false").kind == .false)
        #expect(try token("null").kind == .null)
        #expect(try token("{}").kind == .object)
        #expect(try token("[]").kind == .array)
        #expect(try token(#""a""#).kind == .string)
        #expect(try token(#""\n""#).kind == .escapedString)
        #expect(try token("1").text == nil)
        let string = try #require(try token(#"  "abc" "#).text)
        #expect(string.range == 3..<6)
        #expect(!string.hasEscapes)
    }

    @Test(
        "escapes are what they stand for",
        arguments: [
            (#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{c}\n\r\t"),
            (#"\u0041\u00e9\u20AC"#, "Aé€"),
            (#"\ud83d\ude00"#, "😀"), (#"\uDBFF\uDFFF"#, "\u{10ffff}"),
            (#"\uD800\uDC00"#, "\u{10000}"),
            (#"a\u0001b"#, "a\u{1}b"), (#"é\n語\t😀"#, "é\n語\t😀"), (#"\uffff"#, "\u{ffff}"),
        ])
    func unescaping(_ escaped: String, _ expected: String) throws {
        let octets = Array("\"\(escaped)\"".utf8)
        var scanner = Scanner()
        try scanner.reset(octets.span)
        let text = try #require(try scanner.value(octets.span).text)
        #expect(text.hasEscapes)
        var scratch: [UInt8] = []
        let count = text.unescape(octets.span, into: &scratch)
        #expect(Array(scratch[..<count]) == Array(expected.utf8))
        #expect(count <= text.count)
    }

    @Test("members come in order, with their values")
    func members() throws {
        let octets = Array(##" { "a" : 1 , "b\u0062" : [ 2 , {"c":3} ] , "d" : "x" } "##.utf8)
        let bytes = octets.span
        var scanner = Scanner()
        try scanner.reset(bytes)
        #expect(try scanner.value(bytes).kind == .object)
        #expect(scanner.depth == 1)
        let first = try #require(try scanner.member(bytes))
        #expect(octets[first.text.range].elementsEqual("a".utf8))
        #expect(try scanner.value(bytes).integer == 1)
        let second = try #require(try scanner.member(bytes))
        #expect(second.text.hasEscapes)
        // Hashed as what it stands for.
        let plain = Array("bb".utf8)
        #expect(second.hash == scanner.hash.hash(plain.span, 0, 2))
        #expect(try scanner.value(bytes).kind == .array)
        #expect(try scanner.element(bytes))
        #expect(try scanner.value(bytes).integer == 2)
        #expect(try scanner.element(bytes))
        try scanner.skipValue(bytes)
        #expect(try !scanner.element(bytes))
        let third = try #require(try scanner.member(bytes))
        #expect(octets[third.text.range].elementsEqual("d".utf8))
        try scanner.skipValue(bytes)
        let none = try scanner.member(bytes) == nil
        #expect(none)
        #expect(scanner.depth == 0)
        try scanner.finish(bytes)
    }

    @Test("a scanner begins afresh after an error")
    func reuse() throws {
        var scanner = Scanner()
        let bad = Array(#"{"a":{"b":[{"#.utf8)
        #expect(throws: Malformed.self) {
            try scanner.reset(bad.span)
            try scanner.skipValue(bad.span)
        }
        let good = Array(#"{"a":1,"b":2}"#.utf8)
        for _ in 0..<3 {
            try scanner.reset(good.span)
            try scanner.skipValue(good.span)
            try scanner.finish(good.span)
        }
    }
}
