import JSON
import Testing

/// Which escapes a scanner takes, and what becomes of those that stand for no scalar.
@Suite("escapes of halves and of zero")
struct EscapeTests {
    /// Strings, and what they are without escapes: half of a surrogate pair as UTF-8 would have it.
    static let halves: [(String, [UInt8])] = [
        (#"\ud800"#, [0xed, 0xa0, 0x80]), (#"\uDBFF"#, [0xed, 0xaf, 0xbf]),
        (#"\udc00"#, [0xed, 0xb0, 0x80]), (#"\uDFFF"#, [0xed, 0xbf, 0xbf]),
        (#"a\ud83db"#, [0x61, 0xed, 0xa0, 0xbd, 0x62]),
        (#"\ude00\ud83d"#, [0xed, 0xb8, 0x80, 0xed, 0xa0, 0xbd]),
        (#"\ud83d\ud83d\ude00"#, [0xed, 0xa0, 0xbd, 0xf0, 0x9f, 0x98, 0x80]),
        (#"\ud83d\ude00\ude00"#, [0xf0, 0x9f, 0x98, 0x80, 0xed, 0xb8, 0x80]),
        (#"\ud83d\u0041"#, [0xed, 0xa0, 0xbd, 0x41]), (#"\ud83d\n"#, [0xed, 0xa0, 0xbd, 0x0a]),
        (#"\ud83d\\ude00"#, [0xed, 0xa0, 0xbd] + Array(#"\ude00"#.utf8)),
        (#"\ud83d ude00"#, [0xed, 0xa0, 0xbd] + Array(" ude00".utf8)),
    ]

    private func read(_ string: String, _ escapes: Scanner.Escapes) throws(Malformed) -> [UInt8] {
        let bytes = Array("\"\(string)\"".utf8)
        var scanner = Scanner(escapes: escapes)
        try scanner.reset(bytes.span)
        let text = try scanner.value(bytes.span).text
        try scanner.finish(bytes.span)
        var out: [UInt8] = [0x21]
        text?.unescape(bytes.span, appendingTo: &out)
        var scratch: [UInt8] = []
        let count = text?.unescape(bytes.span, into: &scratch) ?? 0
        #expect(Array(scratch[..<count]) == Array(out.dropFirst()))
        return Array(out.dropFirst())
    }

    private func rule(_ string: String, _ escapes: Scanner.Escapes) -> Malformed.Rule? {
        do throws(Malformed) {
            _ = try read(string, escapes)
            return nil
        } catch {
            return error.rule
        }
    }

    @Test("half of a surrogate pair is for whoever takes units alone", arguments: halves)
    func half(string: String, bytes: [UInt8]) throws {
        #expect(rule(string, .storable) == .surrogate)
        #expect(rule(string, .scalars) == .surrogate)
        #expect(try read(string, .units) == bytes)
        #expect(try read(string + string, .units).count >= 2 * bytes.count - 2)
    }

    @Test(
        "zero is for whoever takes more than a batch may have",
        arguments: [#"\u0000"#, #"a\u0000b"#])
    func zero(string: String) throws {
        #expect(rule(string, .storable) == .zero)
        let expected: [UInt8] = string.utf8.count == 6 ? [0] : [0x61, 0, 0x62]
        #expect(try read(string, .scalars) == expected)
        #expect(try read(string, .units) == expected)
    }

    @Test("a raw zero, and what is no escape, is for nobody")
    func others() {
        for escapes in [Scanner.Escapes.storable, .scalars, .units] {
            #expect(rule("\0", escapes) == .zero)
            #expect(rule(#"\ud83d\x"#, escapes) != nil)
            #expect(rule(#"\ud83d\u"#, escapes) == .escape)
            #expect(rule(#"\ud83d\ude0"#, escapes) == .escape)
            #expect(rule(#"\ud83d\ude0g"#, escapes) == .escape)
            #expect(rule(#"\ud83"#, escapes) == .escape)
        }
        for end in 0..<6 {
            let bytes = Array(#""\ud83d"#.utf8.prefix(1 + end))
            var scanner = Scanner(escapes: .units)
            #expect(throws: Malformed(offset: 1 + end, rule: .truncated)) {
                try scanner.reset(bytes.span)
                _ = try scanner.value(bytes.span)
            }
        }
    }

    @Test("names are compared as what they stand for")
    func names() throws {
        func rule(_ text: String) -> Malformed.Rule? {
            let bytes = Array(text.utf8)
            var scanner = Scanner(escapes: .units)
            do throws(Malformed) {
                try scanner.reset(bytes.span)
                try scanner.skipValue(bytes.span)
                try scanner.finish(bytes.span)
                return nil
            } catch {
                return error.rule
            }
        }
        #expect(rule(#"{"\ud800":1,"\ud801":2,"\udc00":3,"\u0000":4,"":5}"#) == nil)
        #expect(rule(#"{"a\ud800":1,"b":2,"\u0061\uD800":3}"#) == .duplicate)
        #expect(rule(#"{"\u0000":1,"b":2,"\u0000":3}"#) == .duplicate)
        let many = (0..<40).map { "\"\\ud8\(String(16 + $0, radix: 16))\":1" }
        #expect(rule("{\(many.joined(separator: ","))}") == nil)
        #expect(rule("{\((many + [many[7]]).joined(separator: ","))}") == .duplicate)
    }
}
