import ClientTestSupport
import Compression
import Curl
import Foundation
import TestSupport
import Testing

@testable import Client

/// docs/protocol.md, What a client does: several batches by hand.
@Suite("sending batches by hand")
struct SendingTests {
    private func text(_ id: String, events: Int = 1, padding: Int = 0) -> [UInt8] {
        let event =
            #"{"name":"a","time":1,"attributes":{"x":"\#(String(repeating: "x", count: padding))"}}"#
        let list = Array(repeating: event, count: events).joined(separator: ",")
        return Array(#"{"batch_id":"\#(id)","sequence":7,"events":[\#(list)]}"#.utf8)
    }

    private func sending(_ server: TestServer, patience: Int64 = 60_000) throws -> Sending {
        let sealer = try Sealer(.plain, app: "demo", token: "sj_1")
        let client = try HTTPClient(ServerAddress(server.url))
        return Sending(
            Delivery(BatchPoster(client, sealer), pace: StillPace().pace), patience: patience)
    }

    private static func problem(_ status: Int, _ code: String, _ fields: String = "")
        -> TestServer.Reply
    {
        let body = #"{"status":\#(status),"code":"\#(code)","detail":"do this."}"#
        return .raw(
            "HTTP/1.1 \(status) X\r\nContent-Type: application/problem+json\r\n\(fields)"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }

    /// What a server says that has stored the batch.
    private static func stored(_ request: TestServer.Request) -> TestServer.Reply {
        let text = Self.text(in: request)
        let id = WrittenBatch(text).batchID ?? ""
        let body = #"{"batch_id":"\#(id)","duplicate":false,"accepted":1,"rejected":0}"#
        return .raw(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }

    private static func text(in request: TestServer.Request) -> [UInt8] {
        var text: [UInt8] = []
        let count = try? Inflater().gunzip(request.body.span, limit: 1 << 20, into: &text)
        return Array(text[..<(count ?? 0)])
    }

    private func outcomes(_ sending: Sending) -> [String] {
        sending.report.text.split(separator: "\n").map(String.init)
    }

    @Test("a batch that is refused for good does not hold up the next")
    func dropped() throws {
        let server = try TestServer { request, count in
            count == 0 ? Self.problem(422, "invalid-batch") : Self.stored(request)
        }
        var sending = try sending(server)
        sending.send(text("b-1"), named: "one")
        sending.send(text("b-2"), named: "two")
        #expect(
            outcomes(sending) == [
                "one: 422 invalid-batch: do this; the server will never take it as it is",
                "two: 200, 1 accepted, 0 rejected",
            ])
        #expect(!sending.report.allTaken && !sending.report.isUnavailable)
    }

    @Test("once the server wants to be left alone, the rest is not sent")
    func kept() throws {
        let server = try TestServer { _, _ in Self.problem(401, "unknown-key") }
        var sending = try sending(server)
        for name in ["one", "two", "three"] { sending.send(text(name), named: name) }
        #expect(
            outcomes(sending) == [
                "one: 401 unknown-key: do this; keep it and try again in an hour or more",
                "two: not sent", "three: not sent",
            ])
        #expect(server.requests.count == 1)
        #expect(!sending.report.allTaken && !sending.report.isUnavailable)
        #expect(
            String(decoding: sending.report.json, as: UTF8.self).contains(
                #"{"file":"three","outcome":"unsent","attempts":0}"#))
    }

    @Test("a server that has no time is asked again until patience ends")
    func unavailable() throws {
        let server = try TestServer { _, _ in Self.problem(503, "overloaded", "Retry-After: 20\r\n")
        }
        var sending = try sending(server)
        sending.send(text("b-1"), named: "one")
        sending.send(text("b-2"), named: "two")
        #expect(server.requests.count == 4)
        #expect(sending.report.isUnavailable && sending.report.unsent == ["two"])
    }

    @Test("an answer that does not come is waited for no longer than patience, or three seconds")
    func drip() throws {
        let server = try TestServer { _, _ in .silence }
        var sending = try sending(server, patience: 0)
        let clock = ContinuousClock()
        let took = clock.measure { sending.send(text("b-1"), named: "one") }
        #expect(took >= .seconds(2.9) && took < .seconds(30))
        #expect(sending.report.isUnavailable && server.requests.count == 1)
    }

    @Test("patience without end is no error")
    func endless() throws {
        let server = try TestServer { request, _ in Self.stored(request) }
        var sending = try sending(server, patience: .max)
        sending.send(text("b-1"), named: "one")
        #expect(sending.report.allTaken)
    }

    @Test("a batch that is too large goes in halves, and theirs")
    func split() throws {
        let server = try TestServer { request, _ in
            let text = Self.text(in: request)
            let events =
                String(decoding: text, as: UTF8.self).components(separatedBy: "time").count - 1
            return events > 2 ? Self.problem(413, "too-many-events") : Self.stored(request)
        }
        var sending = try sending(server)
        sending.send(text("b-1", events: 5), named: "big")
        #expect(
            outcomes(sending) == [
                "big.1: 200, 1 accepted, 0 rejected", "big.2.1: 200, 1 accepted, 0 rejected",
                "big.2.2: 200, 1 accepted, 0 rejected",
            ])
        #expect(sending.report.allTaken)
    }

    private static let proxy = TestServer.Reply.raw(
        "HTTP/1.1 413 X\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\n<h1>\n")

    @Test("of what a proxy finds too large, too; of what may be stored at the third time")
    func proxies() throws {
        let server = try TestServer { request, count in
            let text = Self.text(in: request)
            let events =
                String(decoding: text, as: UTF8.self).components(separatedBy: "time").count - 1
            if count == 3 { return Self.problem(503, "overloaded") }
            return events > 1 ? Self.proxy : Self.stored(request)
        }
        var sending = try sending(server)
        for name in ["one", "two"] { sending.send(text(name, events: 2), named: name) }
        #expect(
            outcomes(sending)
                == ["one.1", "one.2", "two.1", "two.2"].map { "\($0): 200, 1 accepted, 0 rejected" }
        )
        #expect(server.requests.count == 9)
    }

    @Test("one event that a proxy finds too large is told, and the next batch is sent")
    func indivisibleForAProxy() throws {
        let server = try TestServer { request, count in
            count == 0 ? Self.proxy : Self.stored(request)
        }
        var sending = try sending(server)
        for name in ["one", "two"] { sending.send(text(name), named: name) }
        #expect(
            outcomes(sending) == [
                "one: status 413 without a code: a proxy on the way lets too little through; "
                    + "its one event is itself too large: make that smaller",
                "two: 200, 1 accepted, 0 rejected",
            ])
    }

    @Test("a redirect is told, with where to and without what may be secret")
    func redirected() throws {
        let server = try TestServer { _, _ in
            .raw(
                "HTTP/1.1 301 X\r\nLocation: https://ann:secret@a.example/login?token=secret\r\n"
                    + "Content-Length: 0\r\n\r\n")
        }
        var sending = try sending(server, patience: 0)
        sending.send(text("b-1"), named: "one")
        #expect(
            outcomes(sending) == [
                "one: status 301, a redirect to https://a.example/login…, which is not followed; "
                    + "try again later"
            ])
    }

    @Test("one event that is too large alone is told")
    func indivisible() throws {
        let server = try TestServer { _, _ in Self.problem(413, "body-too-large") }
        var sending = try sending(server)
        sending.send(text("b-1"), named: "one")
        #expect(
            outcomes(sending) == [
                "one: 413 body-too-large: do this; its one event is itself too large: "
                    + "make that smaller"
            ])
    }

    @Test(
        "a body that took too long goes in halves, unless it is small already",
        arguments: [true, false])
    func slow(isLarge: Bool) throws {
        let server = try TestServer { request, count in
            count == 0 ? Self.problem(408, "request-timeout") : Self.stored(request)
        }
        var sending = try sending(server)
        sending.send(text("b-1", events: 2, padding: isLarge ? 9000 : 1), named: "one")
        let taken = isLarge ? ["one.1", "one.2"] : ["one"]
        #expect(outcomes(sending) == taken.map { "\($0): 200, 1 accepted, 0 rejected" })
        #expect(server.requests.count == taken.count + 1)
    }
}
