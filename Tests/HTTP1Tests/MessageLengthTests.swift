import HTTP1
import Testing

/// RFC 9112 §3.2, §6.3, §9.3 and RFC 9110 §10.1.1 on heads that are well formed.
@Suite struct MessageLengthTests {
    /// Fields of a POST, the version's digit, and what comes of it.
    static let framings: [(String, Character, Result<BodyFraming, Refused>)] = [
        ("", "1", .success(.none)),
        ("Content-Length: 0\r\n", "1", .success(.length(0))),
        ("Content-Length: \t007 \r\n", "1", .success(.length(7))),
        ("Content-Length: 9223372036854775807\r\n", "1", .success(.length(.max))),
        ("Content-Length: 18446744073709551627\r\n", "1", .success(.length(.max))),
        ("Content-Length: 99999999999999999999999999999999\r\n", "1", .success(.length(.max))),
        ("Content-Length:\r\n", "1", .failure(.init(.length))),
        ("Content-Length: +1\r\n", "1", .failure(.init(.length))),
        ("Content-Length: -1\r\n", "1", .failure(.init(.length))),
        ("Content-Length: 0x1\r\n", "1", .failure(.init(.length))),
        ("Content-Length: 1 1\r\n", "1", .failure(.init(.length))),
        ("Content-Length: 1, 1\r\n", "1", .failure(.init(.length))),
        ("Content-Length: 1,\r\n", "1", .failure(.init(.length))),
        ("Content-Length: 1\r\nContent-Length: 1\r\n", "1", .failure(.init(.length))),
        ("Content-Length: 1\r\nContent-Length: 2\r\n", "1", .failure(.init(.length))),
        ("Transfer-Encoding: chunked\r\n", "1", .success(.chunked)),
        ("Transfer-Encoding: CHUNKED \r\n", "1", .success(.chunked)),
        (
            "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n", "1",
            .failure(.init(.lengthConflict))
        ),
        (
            "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n", "1",
            .failure(.init(.lengthConflict))
        ),
        ("Content-Length: x\r\nTransfer-Encoding: y\r\n", "1", .failure(.init(.lengthConflict))),
        ("Transfer-Encoding: \r\nContent-Length: 1\r\n", "1", .failure(.init(.lengthConflict))),
        ("Transfer-Encoding: \r\n", "1", .failure(.init(.transferCoding))),
        ("Transfer-Encoding: chunked, chunked\r\n", "1", .failure(.init(.transferCoding))),
        ("Transfer-Encoding: chunked, foo\r\n", "1", .failure(.init(.transferCoding))),
        (
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", "1",
            .failure(.init(.transferCoding))
        ),
        ("Transfer-Encoding: chunked;a=b\r\n", "1", .failure(.init(.transferCoding))),
        ("Transfer-Encoding: \"chunked\"\r\n", "1", .failure(.init(.transferCoding))),
        ("Transfer-Encoding: chu nked\r\n", "1", .failure(.init(.transferCoding))),
        ("Transfer-Encoding: chunked,\r\n", "1", .failure(.init(.transferCoding))),
        ("Transfer-Encoding: xchunked\r\n", "1", .failure(.init(.unknownCoding))),
        ("Transfer-Encoding: identity\r\n", "1", .failure(.init(.unknownCoding))),
        ("Transfer-Encoding: gzip, chunked\r\n", "1", .failure(.init(.unknownCoding))),
        ("Transfer-Encoding: chunked\r\n", "0", .failure(.init(.codingVersion))),
        ("Content-Length: 4\r\n", "0", .success(.length(4))),
        ("Transfer_Encoding: chunked\r\nContent-Length: 1\r\n", "1", .success(.length(1))),
    ]

    struct Refused: Error, Equatable {
        var refusal: RequestRefusal
        init(_ refusal: RequestRefusal) { self.refusal = refusal }
    }

    @Test(
        "the length of a message is taken in the order of RFC 9112 §6.3 or refused",
        arguments: 0..<framings.count)
    func framing(place: Int) {
        let (fields, digit, expected) = Self.framings[place]
        let (outcome, parser) = parse("POST / HTTP/1.\(digit)\r\nHost: a\r\n\(fields)\r\n")
        switch expected {
        case .success(let framing):
            #expect(outcome.step == .done, "\(fields)")
            #expect(parser.head.body == framing, "\(fields)")
        case .failure(let refused): #expect(outcome.step == .refused(refused.refusal), "\(fields)")
        }
    }

    @Test(
        "a Host field is there once and well formed",
        arguments: [
            ("", false), ("Host: a\r\nHost: a\r\n", false), ("Host:\r\n", false),
            ("Host: a/x\r\n", false), ("Host: [::1\r\n", false), ("Host: [::1]x\r\n", false),
            ("Host: [1]\r\n", false), ("Host: :80\r\n", false), ("Host: a:8x\r\n", false),
            ("Host: a:65536\r\n", false), ("Host: a:99999999999999999999\r\n", false),
            ("Host: a b\r\n", false), ("Host: u@a\r\n", false), ("Host: a%4\r\n", false),
            ("Host: a\r\n", true), ("Host: a:\r\n", true), ("Host: 1.2.3.4:65535\r\n", true),
            ("Host: [::ffff:1.2.3.4]:1\r\n", true), ("Host: ex%41mple\r\n", true),
        ])
    func host(fields: String, isGood: Bool) {
        let step = parse("GET / HTTP/1.1\r\n\(fields)\r\n").0.step
        #expect(step == (isGood ? .done : .refused(.host)), "\(fields)")
    }

    @Test(
        "the connection is kept as version and Connection fields say",
        arguments: [
            ("1", "", true), ("0", "", false), ("0", "Connection: Keep-Alive\r\n", true),
            ("1", "Connection: close\r\n", false), ("1", "Connection: foo , CLOSE\r\n", false),
            ("1", "Connection: a\r\nConnection: close\r\n", false),
            ("0", "Connection: keep-alive, close\r\n", false),
            ("1", "Connection: closed\r\n", true),
        ])
    func keepsAlive(digit: String, fields: String, keeps: Bool) {
        let (_, parser) = parse("GET / HTTP/1.\(digit)\r\nHost: a\r\n\(fields)\r\n")
        #expect(parser.head.keepsAlive == keeps)
    }

    @Test(
        "100-continue is the only expectation, and only with a body in HTTP/1.1",
        arguments: [
            ("1", "Expect: 100-Continue\r\nContent-Length: 1\r\n", true),
            ("1", "Expect: 100-continue\r\n", false),
            ("1", "Expect: 100-continue\r\nContent-Length: 0\r\n", false),
            ("0", "Expect: 100-continue\r\nContent-Length: 1\r\n", false),
        ])
    func expectation(digit: String, fields: String, expects: Bool) {
        let (outcome, parser) = parse("POST / HTTP/1.\(digit)\r\nHost: a\r\n\(fields)\r\n")
        #expect(outcome.step == .done)
        #expect(parser.head.expectsContinue == expects)
    }

    @Test(
        "anything else, or anything beside it, is refused",
        arguments: [
            "Expect: 100-continue, x", "Expect: x, 100-continue", "Expect: other", "Expect:",
            "Expect: 100-continue;q=1", "Expect: 100-continue, 100-continue",
            "Expect: 100-continue,",
            "Expect: 100-continue\r\nExpect: 100-continue", "Expect: 100-continue\r\nExpect:",
        ], ["0", "1"])
    func otherExpectation(fields: String, digit: String) {
        let (outcome, _) = parse(
            "POST / HTTP/1.\(digit)\r\nHost: a\r\nContent-Length: 1\r\n\(fields)\r\n\r\n")
        #expect(outcome.step == .refused(.expectation))
    }
}
