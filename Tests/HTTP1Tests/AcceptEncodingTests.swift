import Testing

@testable import HTTP1

@Suite("Accept-Encoding")
struct AcceptEncodingTests {
    private func prefersGzip(_ lines: [String]) throws -> Bool {
        let fields = lines.map { "Accept-Encoding: \($0)\r\n" }.joined()
        let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n".utf8)
        let (outcome, parser) = parse(bytes)
        try #require(outcome.step == .done)
        return AcceptEncoding(parser.head, bytes.span).prefersGzip
    }

    @Test(
        "gzip goes where it is taken, and not less welcome than what is not coded",
        arguments: [
            "gzip", "GZip", "x-gzip", "br, gzip", "gzip, deflate, br, zstd", "gzip;q=0.001",
            "gzip;q=1", "gzip;q=1.", "gzip;q=1.000", "gzip; q=0.5", "gzip ;Q=0.5", "*", "*;q=0.1",
            "identity;q=0, gzip", "identity;q=0, *", "identity;q=0.5, gzip;q=0.5",
            "gzip, *;q=0", "identity;q=0.4, *;q=0.5", ",, gzip,", "\tgzip\t",
            "br;q=2, gzip", "identity, gzip;q=1",
        ])
    func taken(value: String) throws {
        #expect(try prefersGzip([value]))
        #expect(try prefersGzip(["br", value]))
    }

    @Test(
        "it does not where it is not, or what the field says cannot be read",
        arguments: [
            "", "br", "identity", "gzip;q=0", "gzip;q=0.", "gzip;q=0.000", "gzip;q=0, identity",
            "*;q=0", "gzip;q=0, *", "identity, gzip;q=0.999", "identity;q=0.2, gzip;q=0.1",
            "identity;q=0.5, *;q=0.4", "gzip;q=2", "gzip;q=1.001", "gzip;q=0.0001", "gzip;q=-1",
            "gzip;q=", "gzip;q", "gzip;", "gzip;q=0.5;x=1", "gzip;x=1", "gzip;q=.5", "gzip;q=0,5",
            "gzip;q=a", "gzip;q=0.a", "\"gzip\"", "gzip deflate", "gzi", "gzipp", "gzip, gzip;q=0",
            "gzip;q=0, x-gzip",
        ])
    func notTaken(value: String) throws {
        #expect(try !prefersGzip([value]))
    }

    @Test("lines count together, and none means no")
    func lines() throws {
        #expect(try !prefersGzip([]))
        #expect(try prefersGzip(["identity;q=0.5", "gzip"]))
        #expect(try !prefersGzip(["gzip;q=0.5", "identity"]))
    }
}
