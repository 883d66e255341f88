import Foundation
import TestSupport
import Testing

@testable import Curl

@Suite("HTTP client")
struct HTTPClientTests {
    private func client(
        _ server: TestServer, _ change: (inout HTTPClient.AnswerLimits) -> Void = { _ in }
    ) throws -> HTTPClient {
        var limits = HTTPClient.AnswerLimits()
        limits.totalTimeout = 10_000
        change(&limits)
        return try HTTPClient(ServerAddress(server.url), limits: limits)
    }

    @Test("requests go over one connection, with their fields and bodies")
    func keepAlive() throws {
        let server = try TestServer { _, before in
            TestServer.answer("200 OK", type: "Text/Plain; charset=utf-8", "answer \(before)")
        }
        defer { server.stop() }
        let client = try client(server)
        let body = Array(repeating: UInt8(0), count: 70_000)
        let fields = [HTTPRequest.Field("Content-Encoding", "gzip"), .bearer("sj_1")]
        for number in 0..<3 {
            let answer = try client.send(
                HTTPRequest(.post, "/v1/apps/a/batches", fields: fields, body: body))
            #expect(answer.status == 200)
            #expect(answer.field("content-type") == "Text/Plain; charset=utf-8")
            #expect(String(decoding: answer.body, as: UTF8.self) == "answer \(number)")
        }
        let got = try client.send(.get("/readyz", token: "sj_2"))
        #expect(got.status == 200)
        #expect(server.requests.map(\.connection) == [0, 0, 0, 0])
        #expect(server.requests[0].line == "POST /v1/apps/a/batches HTTP/1.1")
        #expect(server.requests[0].body == body)
        #expect(server.requests[0].field("content-encoding") == "gzip")
        #expect(server.requests[0].field("authorization") == "Bearer sj_1")
        #expect(server.requests[3].line == "GET /readyz HTTP/1.1")
        #expect(server.requests[3].field("authorization") == "Bearer sj_2")
        #expect(server.requests[3].field("content-encoding") == nil)
        #expect(server.requests[3].body.isEmpty)
    }

    @Test("a token that an answer says back is not handed on, wherever it stands")
    func echo() throws {
        let token = "sj_0123456789abcdefghijklmnop"
        let server = try TestServer { request, _ in
            let said = request.field("authorization") ?? ""
            let twice = String(repeating: String(said.dropFirst(7)), count: 2)
            return TestServer.answer(
                "403 Forbidden", fields: ["X-Said: <\(said)>", "X-Other: sj_01234567"],
                "\(said), \(twice) and sj_0123456789abcdefghijklmno")
        }
        defer { server.stop() }
        let answer = try client(server).send(.get("/report", token: token))
        let stars = String(repeating: "*", count: token.utf8.count)
        #expect(answer.field("X-Said") == "<Bearer \(stars)>")
        #expect(answer.field("X-Other") == "sj_01234567")
        #expect(
            String(decoding: answer.body, as: UTF8.self)
                == "Bearer \(stars), \(stars)\(stars) and sj_0123456789abcdefghijklmno")
        // Any text may hold what is shorter than a token.
        let short = try client(server).send(.get("/report", token: "sj_0"))
        #expect(short.field("X-Said") == "<Bearer sj_0>")
    }

    @Test("an empty body is sent as one, and a large one whole")
    func bodies() throws {
        let server = try TestServer { _, _ in TestServer.answer("200 OK") }
        defer { server.stop() }
        let client = try client(server)
        let large = (0..<900_000).map { UInt8(truncatingIfNeeded: $0) }
        _ = try client.send(HTTPRequest(.post, "/a"))
        _ = try client.send(HTTPRequest(.post, "/a", body: large))
        #expect(server.requests[0].field("content-length") == "0")
        #expect(server.requests[1].body == large)
    }

    @Test("a kept connection that the server has closed is opened anew")
    func closedBetween() throws {
        let server = try TestServer { _, before in
            .rawThenClose(TestServer.text("200 OK", "\(before)"))
        }
        defer { server.stop() }
        let client = try client(server)
        for _ in 0..<3 { #expect(try client.send(.get("/")).status == 200) }
        #expect(server.requests.map(\.connection) == [0, 1, 2])
    }

    @Test("every status is an answer, and redirects are not followed")
    func statuses() throws {
        let server = try TestServer { _, before in
            before == 0
                ? TestServer.answer("302 Found", fields: ["Location: /elsewhere"])
                : TestServer.answer("503 Busy", fields: ["X-One: 1", "x-one: 2"])
        }
        defer { server.stop() }
        let client = try client(server)
        let redirect = try client.send(.get("/"))
        #expect(redirect.status == 302)
        #expect(redirect.field("location") == "/elsewhere")
        #expect(server.requests.count == 1)
        let busy = try client.send(.get("/"))
        #expect(busy.status == 503)
        #expect(busy.field("X-ONE") == "1")
    }

    @Test("an interim answer is not the answer")
    func interim() throws {
        let server = try TestServer { _, _ in
            .raw(
                "HTTP/1.1 103 Early Hints\r\nX-Hint: 1\r\n\r\n"
                    + TestServer.text("200 OK", fields: ["X-Real: 2"], "body"))
        }
        defer { server.stop() }
        let answer = try client(server).send(.get("/"))
        #expect(answer.status == 200)
        #expect(answer.field("X-Hint") == nil)
        #expect(answer.field("X-Real") == "2")
    }

    @Test(
        "what is no whole answer is a failure of its kind",
        arguments: [
            (TestServer.Reply.rawThenClose("hello there\r\n\r\n"), HTTPFailure.Kind.notHTTP),
            (.close, .broken),
            (.rawThenClose("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort"), .broken),
            (.rawThenClose("HTTP/1.1 200 OK\r\nContent-Le"), .broken),
            (.raw(TestServer.text("200 OK", String(repeating: "x", count: 2_001))), .tooLarge),
            (
                .rawThenClose(
                    "HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "x", count: 2_001)), .tooLarge
            ),
            (.silence, .timedOut),
        ])
    func failures(reply: TestServer.Reply, kind: HTTPFailure.Kind) throws {
        let server = try TestServer { _, _ in reply }
        defer { server.stop() }
        let client = try client(server) {
            $0.bodyLimit = 2_000
            if case .silence = reply { $0.totalTimeout = 300 }
        }
        let failure = #expect(throws: HTTPFailure.self) {
            try client.send(
                HTTPRequest(.post, "/v1/legacy/k", fields: [.bearer("sj_secret")], body: [1]))
        }
        #expect(failure?.kind == kind)
        #expect(failure?.origin == server.url)
        #expect(failure?.description.contains("sj_secret") == false)
    }

    @Test("an answer as large as the limit is taken, and one request may have a limit of its own")
    func limits() throws {
        let server = try TestServer { _, _ in
            TestServer.answer("200 OK", String(repeating: "x", count: 2_000))
        }
        defer { server.stop() }
        let client = try client(server) { $0.bodyLimit = 2_000 }
        #expect(try client.send(.get("/")).body.count == 2_000)
        #expect(throws: HTTPFailure.self) { try client.send(.get("/"), bodyLimit: 1_999) }
        #expect(try client.send(.get("/")).body.count == 2_000)
    }

    @Test("nobody at the address is told as such")
    func unreachable() throws {
        let server = try TestServer { _, _ in .close }
        let client = try client(server)
        server.stop()
        let failure = #expect(throws: HTTPFailure.self) { try client.send(.get("/")) }
        #expect(failure?.kind == .unreachable)
    }

    @Test("a Unix socket is an address like others")
    func unixSocket() throws {
        let path = NSTemporaryDirectory() + "sojourn-\(UUID().uuidString.prefix(8)).sock"
        let server = try TestServer(path: path) { request, _ in
            TestServer.answer("200 OK", request.line)
        }
        defer {
            server.stop()
            unlink(path)
        }
        let client = try HTTPClient(ServerAddress("unix:\(path)"))
        let answer = try client.send(.get("/control/apps"))
        #expect(String(decoding: answer.body, as: UTF8.self) == "GET /control/apps HTTP/1.1")
    }

    @Test(
        "a field or a path that would be more than itself is not sent",
        arguments: [
            HTTPRequest(.get, "/", fields: [.bearer("sj_1\r\nX-More: 1")]),
            HTTPRequest(.get, "/", fields: [.init("X:", "1")]),
            HTTPRequest(.get, "/", fields: [.init("", "1")]),
            HTTPRequest(.get, "/a b"),
            HTTPRequest(.get, "a"),
            HTTPRequest(.get, "/a\nb"),
        ])
    func unsendable(request: HTTPRequest) throws {
        let server = try TestServer { _, _ in TestServer.answer("200 OK") }
        defer { server.stop() }
        let client = try client(server)
        let failure = #expect(throws: HTTPFailure.self) { try client.send(request) }
        #expect(failure?.kind == .unsendable)
        #expect(server.requests.isEmpty)
    }
}
