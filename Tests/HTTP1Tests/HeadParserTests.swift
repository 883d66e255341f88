import HTTP1
import Testing

@Suite struct HeadParserTests {
    static let accepted: [(String, Method, String, String?, Int)] = [
        ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", .get, "/", nil, 1),
        ("\r\n\r\nGET /a/b?c=d?e HTTP/1.1\r\nHost: a:80\r\n\r\n", .get, "/a/b", "c=d?e", 1),
        ("HEAD /%41%7e HTTP/1.0\r\n\r\n", .head, "/%41%7e", nil, 0),
        ("GET http://a.example HTTP/1.1\r\nHost: b\r\n\r\n", .get, "", nil, 1),
        ("GET HTTP://[::1]:8/x?y HTTP/1.1\r\nHost: b\r\n\r\n", .get, "/x", "y", 1),
        ("GET https://a?q HTTP/1.1\r\nHost: b\r\n\r\n", .get, "", "q", 1),
        ("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", .options, "", nil, 1),
        ("CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n", .connect, "", nil, 1),
        ("POST /x HTTP/1.9\r\nhOsT:a\r\nX:\r\nY: \t b c\t \r\n\r\n", .post, "/x", nil, 3),
        ("FOO / HTTP/1.1\r\nHost: [2001:db8::1]\r\n\r\n", .unknown, "/", nil, 1),
        ("GET / HTTP/1.1\r\nHost: a%2Db:\r\n\r\n", .get, "/", nil, 1),
    ]

    @Test(
        "a head is understood alike whole, split at every place and byte by byte",
        arguments: 0..<accepted.count)
    func accepts(place: Int) {
        let (text, method, path, query, fields) = Self.accepted[place]
        let octets = Array(text.utf8)
        for cuts in Splits.all(octets) {
            let (outcome, parser) = parse(octets, cuts: cuts)
            #expect(outcome == .init(step: .done, position: octets.count, fields: fields))
            #expect(parser.head.method == method)
            #expect(parser.head.path.text(in: octets) == path)
            #expect(parser.head.query?.text(in: octets) == query)
            #expect(parser.head.end == octets.count)
        }
        // Octets behind the head are not looked at.
        #expect(parse(octets + [0xFF, 0]).0.position == octets.count)
    }

    /// The text up to and with the octet that breaks the rule.
    static let refused: [(String, RequestRefusal)] = [
        (" ", .requestLine), ("\n", .requestLine), ("\u{16}", .requestLine), ("\rG", .lineEnd),
        ("\r\n\r\n\r\n\r\n\r", .requestLine), ("GE(", .requestLine), ("GET\t", .requestLine),
        ("GET  ", .requestLine), ("GET /\r", .target), ("GET /#", .target), ("GET /%4g", .target),
        ("GET /%4 ", .target), ("GET /[", .target), ("GET /\"", .target),
        ("GET / HTTP/1.1 ", .requestLine), ("GET / HTTP/1.1\n", .requestLine),
        ("GET / h", .requestLine), ("GET / HTP", .requestLine), ("GET / HTTP/1.10", .requestLine),
        ("GET / HTTP ", .requestLine), ("GET / HTTP/1.1\rX", .lineEnd),
        ("GET / HTTP/2.0\r\n", .version), ("PRI * HTTP/2.0\r\n", .version),
        ("GET / HTTP/0.9\r\n", .version), ("GET * HTTP/1.1\r\n", .target),
        ("GET *a HTTP/1.1\r\n", .target), ("GET a HTTP/1.1\r\n", .target),
        ("GET ftp://a/ HTTP/1.1\r\n", .target), ("GET http:// HTTP/1.1\r\n", .target),
        ("GET http://u@a/ HTTP/1.1\r\n", .target), ("GET http://a/[ HTTP/1.1\r\n", .target),
        ("CONNECT a HTTP/1.1\r\n", .target), ("CONNECT /a HTTP/1.1\r\n", .target),
        ("GET / HTTP/1.1\r\n ", .fieldName), ("GET / HTTP/1.1\r\n:", .fieldName),
        ("GET / HTTP/1.1\r\nA ", .fieldName), ("GET / HTTP/1.1\r\nA\t", .fieldName),
        ("GET / HTTP/1.1\r\nA\r", .fieldName), ("GET / HTTP/1.1\r\nA: b\r\n ", .fieldName),
        ("GET / HTTP/1.1\r\nA: b\n", .lineEnd), ("GET / HTTP/1.1\r\nA: b\rc", .lineEnd),
        ("GET / HTTP/1.1\r\nA: b\u{0}", .fieldValue), ("GET / HTTP/1.1\r\nA: \u{7F}", .fieldValue),
        ("GET / HTTP/1.1\r\nHost: a\r\n\rX", .lineEnd),
    ]

    @Test(
        "what breaks a rule is refused at its octet, however it is split",
        arguments: 0..<refused.count)
    func refuses(place: Int) {
        let (text, refusal) = Self.refused[place]
        let octets = Array(text.utf8)
        // A line is judged when it is whole; anything else at the octet itself.
        let position = text.hasSuffix("\r\n") ? octets.count : octets.count - 1
        for cuts in Splits.all(octets) {
            let (outcome, _) = parse(octets, cuts: cuts)
            #expect(outcome.step == .refused(refusal), "\(text.debugDescription)")
            #expect(outcome.position == position, "\(text.debugDescription)")
        }
        // Nothing shorter is refused: the octet, and no other, breaks the rule.
        #expect(parse(Array(octets.dropLast())).0.step == .more)
    }

    @Test(
        "the request line, the header and the number of fields have limits, and trip on the octet")
    func limits() {
        var limits = RequestLimits()
        limits.requestLineBytes = 20
        limits.headerBytes = 30
        limits.headerFields = 3
        let fits = "GET /aaaaaa HTTP/1.1\r\n"
        #expect(parse(fits, limits: limits).0.step == .more)
        let long = Array("GET /aaaaaaa HTTP/1.1\r\n".utf8)
        for cuts in Splits.all(long) {
            #expect(parse(long, cuts: cuts, limits: limits).0.step == .refused(.requestLineTooLong))
        }
        #expect(
            parse("GET /aaaaaaaaaaaaaaaaaaaaaaa", limits: limits).0
                == .init(step: .refused(.requestLineTooLong), position: 20, fields: 0))
        #expect(
            parse(String(repeating: "M", count: 30), limits: limits).0.step
                == .refused(.unknownMethod))
        let header = Array((fits + "Host: a\r\nBbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb").utf8)
        for cuts in Splits.all(header) {
            let (outcome, _) = parse(header, cuts: cuts, limits: limits)
            #expect(outcome.step == .refused(.headerTooLarge))
            #expect(outcome.position == fits.utf8.count + 30)
        }
        let many = Array((fits + "A:\r\nB:\r\nC:\r\nD:\r\n").utf8)
        for cuts in Splits.all(many) {
            #expect(parse(many, cuts: cuts, limits: limits).0.step == .refused(.tooManyFields))
        }
    }

    @Test("known fields are found by name, several lines of one too")
    func knownFields() {
        let text =
            "GET / HTTP/1.1\r\nhost: a\r\nCONTENT-ENCODING: gzip\r\nX-Other: 1\r\n"
            + "Content-Encoding:  br \r\nContent-Encodinh: no\r\n\r\n"
        let octets = Array(text.utf8)
        let (_, parser) = parse(octets)
        #expect(parser.head.count(of: .contentEncoding) == 2)
        var values: [String] = []
        parser.head.forEachValue(of: .contentEncoding) { values.append($0.text(in: octets)) }
        #expect(values == ["gzip", "br"])
        #expect(parser.head.first(.contentType) == nil)
        #expect(parser.head.first(named: "x-other", in: octets.span)?.text(in: octets) == "1")
        for name in FieldName.allCases where name != .other {
            let line = Array("GET / HTTP/1.0\r\n\(name.name): 1\r\n".utf8)
            #expect(parse(line).1.head.fields.first?.name == name)
        }
    }

    @Test("a parser is ready for the next head after a reset")
    func reset() {
        let octets = Array("POST /x?y HTTP/1.0\r\nHost: a\r\nContent-Length: 3\r\n\r\n".utf8)
        var (_, parser) = parse(octets)
        parser.reset()
        #expect(!parser.hasBegun)
        let next = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        #expect(parser.parse(next.span, limits: RequestLimits()) == .done)
        #expect(parser.head.query == nil)
        #expect(parser.head.body == .none)
        #expect(parser.head.fields.count == 1)
        #expect(parser.head.version == .http11)
    }
}
