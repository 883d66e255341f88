import HTTP1
import Testing

@Suite struct ChunkDecoderTests {
    /// What comes of a chunked body whose octets arrive as `cuts` say.
    private func decode(
        _ octets: [UInt8], cuts: [Int], limits: RequestLimits = RequestLimits(),
        bodyLimit: Int = 1000
    ) -> (payload: [UInt8], step: ChunkDecoder.Step, position: Int) {
        var decoder = ChunkDecoder(limits: limits, bodyLimit: bodyLimit)
        var payload: [UInt8] = []
        var position = 0
        for cut in cuts {
            let piece = Array(octets[..<cut])
            while true {
                let step = decoder.next(piece.span, at: &position)
                if case .payload(let range) = step {
                    payload += octets[range]
                    continue
                }
                if step == .more { break }
                return (payload, step, position)
            }
        }
        return (payload, .more, position)
    }

    @Test(
        "a body comes out alike whole, split at every place and byte by byte",
        arguments: [
            ("0\r\n\r\n", ""), ("5\r\nhello\r\n0\r\n\r\n", "hello"),
            ("1\r\na\r\n00002\r\n\r\n\r\n000\r\n\r\n", "a\r\n"),
            ("A;x\r\n0123456789\r\n0;y=z\r\n\r\n", "0123456789"),
            ("1 ; a = b ;c=\"d\\\";\t\"\r\nx\r\n0\r\nA: b\r\nC:\r\n\r\n", "x"),
            ("1\t;a\r\nx\r\n0\r\n\r\n", "x"),
        ])
    func decodes(text: String, payload: String) {
        let octets = Array(text.utf8)
        for cuts in Splits.all(octets) {
            let outcome = decode(octets, cuts: cuts)
            #expect(outcome.step == .end)
            #expect(outcome.payload == Array(payload.utf8))
            #expect(outcome.position == octets.count)
        }
        // The next request is not touched.
        #expect(decode(octets + [0x47], cuts: [octets.count + 1]).position == octets.count)
    }

    static let refused: [(String, RequestRefusal)] = [
        ("\r", .chunk), (" ", .chunk), ("+", .chunk), ("g", .chunk), (";", .chunk), ("-", .chunk),
        ("1\n", .chunk), ("1\rx", .chunk), ("1 \r", .chunk), ("1.", .chunk), ("1\u{0}", .chunk),
        ("1\u{0B}", .chunk), ("0x", .chunk), ("0000000000000000", .chunk),
        ("FFFFFFFFFFFFFFFF", .chunk), ("1;\r", .chunk), ("1;a\n", .chunk), ("1;a\rb", .chunk),
        ("1;a\u{0}", .chunk), ("1;a \r", .chunk), ("1;a=\r", .chunk), ("1;a=\"\r", .chunk),
        ("1;a=\"b\"c", .chunk), ("1;=", .chunk), ("1\r\nab", .chunk), ("1\r\na\n", .chunk),
        ("1\r\na\rb", .chunk), ("3E9\r\n", .bodyTooLarge), ("FFFFFFFFFFFFFFF\r\n", .bodyTooLarge),
        ("0\r\n ", .trailer), ("0\r\n:", .trailer), ("0\r\nA ", .trailer),
        ("0\r\nA: b\n", .trailer),
        ("0\r\nA: b\rc", .trailer), ("0\r\nA: \u{0}", .trailer), ("0\r\n\rx", .trailer),
        ("0\r\n\n", .trailer),
    ]

    @Test(
        "a malformed chunk is refused at its octet, however it is split",
        arguments: 0..<refused.count)
    func refuses(place: Int) {
        let (text, refusal) = Self.refused[place]
        let octets = Array(text.utf8)
        for cuts in Splits.all(octets) {
            let outcome = decode(octets, cuts: cuts)
            #expect(outcome.step == .refused(refusal), "\(text.debugDescription)")
            #expect(outcome.position == octets.count - 1, "\(text.debugDescription)")
        }
        #expect(decode(octets, cuts: [octets.count - 1]).step == .more)
    }

    @Test(
        "each octet may stand in a size, an extension and a trailer only where the grammar has it")
    func allOctets() {
        for octet in UInt8.min...UInt8.max {
            func ends(_ before: String, _ after: String) -> Bool {
                let octets = Array(before.utf8) + [octet] + Array(after.utf8)
                return decode(octets, cuts: [octets.count]).step == .end
            }
            // A hexadecimal digit would announce more data.
            #expect(ends("", "\r\n\r\n") == (octet == 0x30))
            let token = CharacterClass.token.contains(octet)
            #expect(ends("0;a", "b\r\n\r\n") == (token || octet == 0x3D || octet == 0x3B))
            let quoted = CharacterClass.isFieldContent(octet) && octet != 0x22
            #expect(ends("0;a=\"", "b\"\r\n\r\n") == quoted)
            #expect(ends("0\r\nA", "b: c\r\n\r\n") == (token || octet == 0x3A))
            #expect(ends("0\r\nA: b", "c\r\n\r\n") == CharacterClass.isFieldContent(octet))
        }
    }

    @Test("extensions, trailers and the body are bounded in all")
    func bounds() {
        var limits = RequestLimits()
        limits.extensionBytes = 10
        limits.headerBytes = 12
        limits.headerFields = 2
        func step(_ text: String, bodyLimit: Int = 1000) -> ChunkDecoder.Step {
            decode(Array(text.utf8), cuts: [text.utf8.count], limits: limits, bodyLimit: bodyLimit)
                .step
        }
        #expect(step("1;abcdefghi\r\nx\r\n0\r\n\r\n") == .end)
        #expect(step("1;abcdefghij\r\nx\r\n0\r\n\r\n") == .refused(.chunk))
        #expect(step("1;abcde\r\nx\r\n1;abcde\r\nx\r\n0\r\n\r\n") == .refused(.chunk))
        #expect(step("0\r\nA: bcdefgh\r\n\r\n") == .refused(.headerTooLarge))
        #expect(step("0\r\nA:\r\nB:\r\nC:\r\n\r\n") == .refused(.tooManyFields))
        #expect(step("3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n", bodyLimit: 4) == .end)
        #expect(step("3\r\nabc\r\n2\r\n", bodyLimit: 4) == .refused(.bodyTooLarge))
    }
}
