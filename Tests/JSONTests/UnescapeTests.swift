import JSON
import Testing

/// A string without its escapes, put after what was there.
@Suite("a string is appended without its escapes")
struct UnescapeTests {
    private func append(_ json: String, to out: inout [UInt8]) throws {
        let bytes = Array("[\(json)]".utf8)
        var scanner = Scanner()
        try scanner.reset(bytes.span)
        _ = try scanner.value(bytes.span)
        #expect(try scanner.element(bytes.span))
        let text = try #require(try scanner.value(bytes.span).text)
        text.unescape(bytes.span, appendingTo: &out)
    }

    @Test(
        "whatever it is made of",
        arguments: [
            (#""""#, ""), (#""plain""#, "plain"), (#""grüße 😀""#, "grüße 😀"),
            (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"), (#""\u0041\u00e9\u20AC""#, "Aé€"),
            (#""\ud83d\ude00\uDBFF\uDFFF\ud800\udc00""#, "😀\u{10ffff}\u{10000}"),
            (#""\\u0041""#, #"\u0041"#), (#""é\n語\t😀""#, "é\n語\t😀"),
            (#""\u0001\u007f\uffff""#, "\u{1}\u{7f}\u{ffff}"),
        ])
    func appended(json: String, expected: String) throws {
        var out: [UInt8] = []
        try append(json, to: &out)
        #expect(out == Array(expected.utf8))
        out = Array("before".utf8)
        try append(json, to: &out)
        try append(json, to: &out)
        #expect(out == Array("before\(expected)\(expected)".utf8))
    }

    @Test("each scalar's escape is its UTF-8")
    func scalars() throws {
        for code in stride(from: UInt32(1), through: 0x10ffff, by: 0x3b) {
            guard let scalar = Unicode.Scalar(code) else { continue }
            let units = Array(String(scalar).utf16).map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
            var out: [UInt8] = [0xff]
            try append("\"\(units.joined())\"", to: &out)
            #expect(out == [0xff] + Array(String(scalar).utf8))
        }
    }
}
