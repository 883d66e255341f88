#if canImport(CCurl)
import Foundation
import Testing

@testable import Core
@testable import SojournClient

@Suite("An answer that a stranger gives")
struct PosterTests {
    private func reply(from server: StrangeServer) async throws -> Reply {
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/v1/apps/shop/batches"))
        return await withCheckedContinuation { done in
            _ = CurlPoster().post(url, fields: [("A", "b")], body: [1, 2, 3], limit: 10) {
                done.resume(returning: $0)
            }
        }
    }

    /// More than this is never taken from a server, what lies in the buffers of sockets included.
    private static let maxBytes = 16 << 20

    private static let opening = "HTTP/1.1 200 OK\r\nContent-Type: Application/JSON; x=y\r\n"

    @Test("what is whole is read, after interim answers too, and fields that come again are a list")
    func whole() async throws {
        let server = try StrangeServer(
            Array(
                ("HTTP/1.1 103 Early Hints\r\nRetry-After: 9\r\n\r\n" + Self.opening
                    + "Retry-After:  5 \r\nretry-after: 6\r\nSet-Cookie: a=b\r\nContent-Length: 2\r\n\r\n{}")
                    .utf8))
        let wanted = Reply.Response(
            status: 200, mediaType: "application/json", retryAfter: "5, 6", date: nil,
            body: Array("{}".utf8))
        #expect(try await reply(from: server) == .answer(wanted))
    }

    @Test(
        "what has no end, or is longer than 64 KiB, is given up, and is never in memory",
        arguments: [
            ("Content-Length: 9223372036854775807\r\n\r\n", "x"), ("\r\n", "x"),
            (
                "Transfer-Encoding: chunked\r\n\r\n",
                "1000\r\n" + String(repeating: "x", count: 4096) + "\r\n"
            ),
            ("Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n", "X-Trailer: 1\r\n"),
            ("", "X-Header: 1\r\n"), ("X-Header: ", "y"),
        ])
    func long(_ header: String, _ rest: String) async throws {
        let piece = rest.utf8.count < 100 ? String(repeating: rest, count: 1000) : rest
        let server = try StrangeServer(
            Array((Self.opening + header).utf8), endlessly: Array(piece.utf8))
        let found = try await reply(from: server)
        guard case .failure = found else {
            Issue.record("\(found)")
            return
        }
        #expect(server.sent < Self.maxBytes)
    }

    @Test(
        "a redirect without end, or an interim answer again and again, is given up",
        arguments: [
            ("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:9/\r\n\r\n", "x"),
            ("", "HTTP/1.1 100 Continue\r\n\r\n"),
        ])
    func interim(_ opening: String, _ rest: String) async throws {
        let server = try StrangeServer(
            Array(opening.utf8), endlessly: Array(String(repeating: rest, count: 1000).utf8))
        let found = try await reply(from: server)
        #expect(found == .failure("an answer of more than 64 KiB"))
        #expect(server.sent < Self.maxBytes)
    }

    @Test("64 KiB are counted inflated, twice inflated too")
    func inflated() async throws {
        var bomb = [UInt8](repeating: 0, count: 64 << 20)
        for coding in ["gzip", "gzip, gzip"] {
            bomb = try #require(Deflate.compress(bomb, .gzip))
            let header = "Content-Encoding: \(coding)\r\nContent-Length: \(bomb.count)\r\n\r\n"
            let server = try StrangeServer(Array((Self.opening + header).utf8) + bomb)
            let found = try await reply(from: server)
            #expect(found == .failure("an answer of more than 64 KiB"), "\(coding)")
        }
        let small = try #require(Deflate.compress(Array("{}".utf8), .gzip))
        let header = "Content-Encoding: gzip\r\nContent-Length: \(small.count)\r\n\r\n"
        let server = try StrangeServer(Array((Self.opening + header).utf8) + small)
        guard case .answer(let answer) = try await reply(from: server) else {
            Issue.record("no answer")
            return
        }
        #expect(answer.body == Array("{}".utf8))
    }

    @Test("what is cut short is none, and nothing is sent to where a redirect points")
    func others() async throws {
        let cut = try StrangeServer(Array((Self.opening + "Content-Length: 9\r\n\r\n{}").utf8))
        #expect(try await reply(from: cut) == .failure("no answer (18)"))
        let target = try StrangeServer([])
        let answer =
            "HTTP/1.1 307 X\r\nLocation: http://127.0.0.1:\(target.port)/\r\nContent-Length: 0\r\n\r\n"
        let server = try StrangeServer(Array(answer.utf8))
        let wanted = Reply.Response(
            status: 307, mediaType: "", retryAfter: nil, date: nil,
            location: "http://127.0.0.1:\(target.port)/", body: [])
        #expect(try await reply(from: server) == .answer(wanted))
        #expect(target.connections == 0)
    }

    @Test("what is given up ends at once")
    func cancelled() async throws {
        let server = try StrangeServer([], isSilent: true)
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
        let clock = ContinuousClock()
        let ended = Locked(clock.now)
        let began = Locked(clock.now)
        let reply = await withCheckedContinuation { done in
            let posting = CurlPoster().post(url, fields: [], body: [1], limit: 20) { reply in
                ended.use { $0 = clock.now }
                done.resume(returning: reply)
            }
            Thread.detachNewThread {
                Thread.sleep(forTimeInterval: 0.5)
                began.use { $0 = clock.now }
                posting.cancel()
            }
        }
        #expect(reply == .failure("cancelled"))
        #expect(ended.use { $0 } - began.use { $0 } < .milliseconds(200))
    }
}
#endif
