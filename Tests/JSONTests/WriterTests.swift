import JSON
import Testing

@Suite("Writer")
struct WriterTests {
    private func written(_ body: (inout Writer) -> Void) -> String {
        var writer = Writer()
        body(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test("writes a plain name as any other")
    func plainName() {
        let text = written {
            $0.beginObject()
            $0.name(plain: "batch_id")
            $0.null()
            $0.name(plain: "accepted")
            $0.integer(1)
            $0.endObject()
        }
        #expect(text == #"{"batch_id":null,"accepted":1}"#)
    }

    @Test("sets the commas")
    func commas() {
        let text = written {
            $0.beginObject()
            $0.member("a", 1)
            $0.member("b", "x")
            $0.member("c", true)
            $0.name("d")
            $0.beginArray()
            $0.integer(1)
            $0.null()
            $0.beginObject()
            $0.endObject()
            $0.beginArray()
            $0.endArray()
            $0.bool(false)
            $0.raw("[0]".utf8)
            $0.endArray()
            $0.name("e")
            $0.double(1.5)
            $0.endObject()
        }
        #expect(text == #"{"a":1,"b":"x","c":true,"d":[1,null,{},[],false,[0]],"e":1.5}"#)
    }

    @Test("each octet of ASCII is escaped only where JSON demands it", arguments: 0..<128)
    func escapes(_ code: Int) {
        let expected =
            switch code {
            case 0x08: #"\b"#
            case 0x09: #"\t"#
            case 0x0a: #"\n"#
            case 0x0c: #"\f"#
            case 0x0d: #"\r"#
            case 0x22: #"\""#
            case 0x5c: #"\\"#
            case 0..<0x10: "\\u000" + String(code, radix: 16)
            case 0x10..<0x20: "\\u001" + String(code - 0x10, radix: 16)
            default: String(UnicodeScalar(UInt8(code)))
            }
        let text = "é" + String(UnicodeScalar(UInt8(code))) + "語"
        #expect(written { $0.string(text) } == "\"é\(expected)語\"")
    }

    @Test("a string comes back as it was")
    func roundTrip() throws {
        let text = "a\"\\/\u{1}\u{1f}\n\t\u{7f}é語😀\u{2028}"
        let octets = Array(written { $0.string(text) }.utf8)
        var scanner = Scanner()
        try scanner.reset(octets.span)
        let token = try #require(try scanner.value(octets.span).text)
        var scratch: [UInt8] = []
        let count = token.unescape(octets.span, into: &scratch)
        #expect(String(decoding: scratch[..<count], as: UTF8.self) == text)
    }

    @Test(
        "integers", arguments: [0, 7, -7, 10, 1_000_000, Int64.max, Int64.min])
    func integers(_ value: Int64) {
        #expect(written { $0.integer(value) } == String(value))
    }

    @Test(
        "fixed decimals keep their zeros",
        arguments: [
            (0, 3, "0.000"), (5, 3, "0.005"), (1500, 3, "1.500"), (-1, 6, "-0.000001"),
            (123_456_789, 6, "123.456789"), (42, 0, "42"), (-1234, 2, "-12.34"), (10, 1, "1.0"),
            (Int64.min, 3, "-9223372036854775.808"),
        ] as [(Int64, Int, String)])
    func fixed(_ units: Int64, _ decimals: Int, _ expected: String) {
        #expect(written { $0.fixed(units, decimals: decimals) } == expected)
    }

    @Test("a double that is not finite is null")
    func notFinite() {
        #expect(written { $0.double(.infinity) } == "null")
        #expect(written { $0.double(.nan) } == "null")
    }

    @Test("hands out what it has and begins again")
    func take() {
        var writer = Writer(reserving: 10)
        writer.integer(1)
        #expect(writer.take() == [0x31])
        writer.integer(2)
        #expect(writer.bytes == [0x32])
    }
}
