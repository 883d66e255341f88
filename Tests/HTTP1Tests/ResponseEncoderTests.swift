import HTTP1
import Testing

@Suite struct ResponseEncoderTests {
    private final class Source: BodySource {
        func begin(wake: @escaping @Sendable () -> Void) {}
        func pull(into output: inout [UInt8], limit: Int) -> BodyStep { .end }
        func cancel() {}
    }

    private static let date = Array("Sun, 06 Nov 1994 08:49:37 GMT".utf8)

    private func text(
        _ response: Response, version: Version = .http11, isHeaderOnly: Bool = false,
        keepsAlive: Bool = true
    ) -> String {
        var output: [UInt8] = []
        ResponseEncoder.append(
            response, .init(version: version, isHeaderOnly: isHeaderOnly, keepsAlive: keepsAlive),
            date: Self.date, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    private let dateLine = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"

    @Test("an answer has date, type and length, and HEAD only its header")
    func plain() {
        let response = Response(status: 200, contentType: "text/plain", body: Array("ok\n".utf8))
        let header =
            "HTTP/1.1 200 OK\r\n" + dateLine
            + "Content-Type: text/plain\r\nContent-Length: 3\r\n\r\n"
        #expect(text(response) == header + "ok\n")
        #expect(text(response, isHeaderOnly: true) == header)
    }

    @Test("204 and 304 have neither length nor body", arguments: [204, 304])
    func bodyless(status: Int) {
        let answer = text(Response(status: status, contentType: "a/b", body: [1, 2]))
        #expect(answer.hasSuffix("\r\n" + dateLine + "\r\n"))
    }

    @Test("closing and HTTP/1.0 keeping are said")
    func connection() {
        #expect(
            text(Response(status: 404), keepsAlive: false).contains("\r\nConnection: close\r\n"))
        #expect(
            text(Response(status: 404), version: .http10).contains("\r\nConnection: keep-alive\r\n")
        )
    }

    @Test("streams are chunked in HTTP/1.1 and bare in HTTP/1.0")
    func streams() {
        let response = Response(status: 200, stream: Source())
        #expect(
            text(response) == "HTTP/1.1 200 OK\r\n\(dateLine)Transfer-Encoding: chunked\r\n\r\n")
        #expect(
            text(response, version: .http10, keepsAlive: false)
                == "HTTP/1.1 200 OK\r\n\(dateLine)Connection: close\r\n\r\n")
    }

    @Test("no value of a field can split an answer")
    func injection() {
        let answer = text(
            Response(status: 299, fields: [.init("X-A", "a\r\nX-B: \u{0}b\u{7F}é")]))
        #expect(answer.hasPrefix("HTTP/1.1 299 \r\n"))
        #expect(answer.contains("\r\nX-A: a  X-B:  b é\r\n"))
    }

    @Test(
        "chunks carry their size in hexadecimal",
        arguments: [
            (1, "1\r\n"), (15, "f\r\n"), (16, "10\r\n"), (65535, "ffff\r\n"),
            (65536, "10000\r\n"),
        ])
    func chunks(count: Int, size: String) {
        var output: [UInt8] = []
        let payload = [UInt8](repeating: 0x61, count: count)
        ResponseEncoder.appendChunkHead(count, to: &output)
        output += payload
        ResponseEncoder.appendChunkEnd(to: &output)
        let expected = Array(size.utf8) + payload + [13, 10]
        #expect(output == expected)
        ResponseEncoder.appendLastChunk(to: &output)
        #expect(output == expected + Array("0\r\n\r\n".utf8))
    }

    @Test(
        "moments are written as IMF-fixdate",
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
            (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (-5, "Thu, 01 Jan 1970 00:00:00 GMT"),
        ] as [(Int64, String)])
    func dates(seconds: Int64, expected: String) {
        #expect(String(decoding: HTTPDate.text(seconds: seconds), as: UTF8.self) == expected)
    }
}
