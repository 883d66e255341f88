import Foundation
import Ingest
import Sealing
import Storage
import TestSupport
import Testing

@testable import Service

/// What is told before a body has come whole, and what holds when it has (docs/protocol.md, The answer;
/// docs/operation.md, HTTP).
@Suite("bodies under way")
struct BodyRouteTests {
    /// A site with two apps, their keys and a token for plain bodies.
    private struct Posts {
        let site: ReportTestSite
        let core: ServiceCore
        let port: UInt16
        let token: String
        static let secret = [UInt8](repeating: 7, count: 32)
        static let text = #"{"batch_id":"b","resource":{"device.id":"d"},"events":[]}"#

        init() throws {
            site = try ReportTestSite()
            let registry = site.store.registry
            _ = try registry.setApp("shop", AppChange(allowsPlain: true))
            _ = try registry.addApp("other")
            for (name, app) in [("k1", "shop"), ("gone", "shop"), ("foreign", "other")] {
                _ = try registry.addKey(
                    name: name, app: app, profile: .aes128gcm, algorithm: nil, secret: Self.secret)
            }
            _ = try registry.addKey(
                name: "old", app: "shop", profile: .legacy, algorithm: nil,
                secret: Array(Self.secret.prefix(16)))
            _ = try registry.revokeKey("gone")
            token = try registry.addToken(scope: .ingest, app: "shop").text
            (core, port) = try site.serve()
        }

        static func sealed(_ key: String = "k1", _ text: String = text, recordSize: Int = 4096)
            -> [UInt8]
        {
            ContentCoding.seal(
                Array(text.utf8).span, keyID: Array(key.utf8).span, secret: secret.span,
                recordSize: recordSize)
        }

        /// A client that has said a head, and nothing yet of the body.
        func client(
            _ fields: [String], path: String = "/v1/apps/shop/batches", method: String = "POST"
        ) -> ReportTestReader {
            let client = ReportTestReader(port: port)
            let lines = ["\(method) \(path) HTTP/1.1", "Host: a"] + fields
            client.say(lines.joined(separator: "\r\n") + "\r\n\r\n")
            return client
        }

        static let coded = ["Content-Type: application/json", "Content-Encoding: aes128gcm"]
    }

    @Test(
        "a route or a method without a body is answered at its head, and nothing of one is held",
        arguments: [
            ("GET", "/livez", 200), ("HEAD", "/readyz", 200), ("POST", "/livez", 405),
            ("GET", "/v1/apps/shop/batches", 405), ("GET", "/nowhere", 404),
            ("DELETE", "/report", 405), ("OPTIONS", "/report", 204), ("GET", "/report", 200),
            ("GET", "/report/active?app=shop", 200), ("GET", "/report/active?app=none", 403),
        ], ["Content-Length: 1048576", "Transfer-Encoding: chunked"])
    func atHead(_ request: (String, String, Int), framing: String) throws {
        let posts = try Posts()
        let client = posts.client(
            ["Authorization: Bearer \(posts.site.token)", framing], path: request.1,
            method: request.0)
        client.say("10\r\n" + String(repeating: "x", count: 1000))
        #expect(client.status == request.2)
        #expect(client.field("Connection") == "close")
        #expect(posts.core.budget.used == 0)
    }

    @Test(
        "a token that is wrong is told at the head", arguments: ["sj_wrong", "foreign", "ingest"])
    func tokens(kind: String) throws {
        let posts = try Posts()
        let registry = posts.site.store.registry
        let token =
            switch kind {
            case "foreign": try registry.addToken(scope: .report, app: "other").text
            case "ingest": posts.token
            default: kind
            }
        let fields = ["Authorization: Bearer \(token)", "Content-Length: 1048575"]
        let report = posts.client(fields, path: "/report/active?app=shop", method: "GET")
        #expect(report.status == (kind == "sj_wrong" ? 401 : 403))
        guard kind != "ingest" else { return }
        let ingest = posts.client(fields + ["Content-Type: application/json"])
        #expect(ingest.status == (kind == "sj_wrong" ? 401 : 403))
    }

    @Test(
        "a key that is unknown, foreign or revoked is told with the last octet of the header block",
        .tags(.long),
        arguments: [
            ("unknown", 401, "unknown-key"), ("foreign", 401, "unknown-key"),
            ("gone", 403, "revoked-key"), (String(repeating: "k", count: 255), 401, "unknown-key"),
            ("", 401, "unknown-key"),
        ], [true, false])
    func opening(_ key: (String, Int, String), isChunked: Bool) throws {
        let posts = try Posts()
        let block = Array(Posts.sealed(key.0).prefix(21 + key.0.utf8.count))
        let framing = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: 1048575"
        let client = posts.client(Posts.coded + [framing])
        func say(_ bytes: ArraySlice<UInt8>) {
            if isChunked { client.say(String(bytes.count, radix: 16) + "\r\n") }
            client.say(Array(bytes))
            if isChunked { client.say("\r\n") }
        }
        for place in block.indices.dropLast() { say(block[place...place]) }
        #expect(!client.waits(30))
        say(block.suffix(1))
        #expect(client.status == key.1)
        #expect(client.reads(to: "}") && client.body.contains(#""\#(key.2)""#))
        #expect(client.field("Connection") == "close")
        posts.core.refusals.settle()
        let rows = try posts.site.store.reader().prepare("SELECT code, batches FROM refusal")
        #expect(try rows.step() && rows.text(0) == key.2 && rows.int(1) == 1)
    }

    @Test("a short rest of a body that its opening refuses is dropped, and the connection goes on")
    func shortRest() throws {
        let posts = try Posts()
        let body = Posts.sealed("unknown")
        let client = posts.client(Posts.coded + ["Content-Length: \(body.count)"])
        client.say(Array(body.dropLast()))
        #expect(client.status == 401 && client.field("Connection") == nil)
        #expect(client.reads(to: "}"))
        client.forget()
        client.say(Array(body.suffix(1)))
        client.say("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(client.status == 200)
    }

    @Test("a key or a token that is revoked while a body comes does not count when it is whole")
    func revocation() throws {
        let posts = try Posts()
        let registry = posts.site.store.registry
        let key = Array(Posts.secret.prefix(16))
        let legacy = LegacyCipher().seal([UInt8]().span, key: key.span)
        let plain = Array(Posts.text.utf8)
        let bearer = ["Authorization: Bearer \(posts.token)", "Content-Type: application/json"]
        let sealed = Posts.sealed()
        let sent: [(body: [UInt8], fields: [String], path: String, status: Int, code: String)] = [
            (sealed, Posts.coded, "/v1/apps/shop/batches", 403, "revoked-key"),
            (legacy, [], "/v1/legacy/old", 403, "revoked-key"),
            (plain, bearer, "/v1/apps/shop/batches", 401, "unauthorized"),
        ]
        func begin() -> [ReportTestReader] {
            sent.map { body, fields, path, _, _ in
                let client = posts.client(fields + ["Content-Length: \(body.count)"], path: path)
                client.say(Array(body.dropLast()))
                return client
            }
        }
        func end(_ clients: [ReportTestReader]) {
            for (client, request) in zip(clients, sent) {
                client.say(Array(request.body.suffix(1)))
            }
        }
        // What comes whole before is taken.
        let before = begin()
        end(before)
        for client in before { #expect(client.status == 200) }
        let clients = begin()
        for client in clients { #expect(!client.waits(10)) }
        _ = try registry.revokeKey("k1")
        _ = try registry.revokeKey("old")
        let id = try #require(registry.snapshot.tokens.first { $0.scope == .ingest })
        _ = try registry.revokeToken(id.name)
        end(clients)
        for (client, request) in zip(clients, sent) {
            #expect(client.status == request.status)
            #expect(client.reads(to: "}") && client.body.contains(#""\#(request.code)""#))
        }
    }

    @Test("a body that has waited for a judge is judged by the keys that are in force then")
    func waiting() throws {
        let posts = try Posts()
        let format = try BodyFormat(contentType: "application/json", codings: ["aes128gcm"])
        let before = posts.core.directory
        let app = try #require(before.app(named: "shop"))
        let admission = try Admission(
            app: app, format: format, authorization: nil, access: before)
        let body = Posts.sealed()
        let whole = WholeBody(
            body.span, AdmittedBatch(admission: admission, isDryRun: true, directory: before),
            arrival: 1_763_700_000_000)
        let worker = IngestWorker(
            limits: IngestLimits(maxInflatedBytes: 1000, maxBatchEvents: 1, maxEventAge: 1),
            pepper: [])
        guard case .success = whole.judged(by: worker, before, nil).verdict else {
            Issue.record("refused")
            return
        }
        _ = try posts.site.store.registry.revokeKey("k1")
        let judgement = whole.judged(by: worker, posts.core.directory, nil)
        guard case .failure(let problem) = judgement.verdict else {
            Issue.record("accepted")
            return
        }
        #expect(problem.code == .revokedKey)
    }

    @Test("a body of more than 4,096 records is opened beside the loop", arguments: [4096, 4097])
    func manyRecords(count: Int) throws {
        let posts = try Posts()
        // No JSON: what refuses it is what opened it.
        let body = Posts.sealed("k1", String(repeating: "x", count: count), recordSize: 18)
        let client = posts.client(Posts.coded + ["Content-Length: \(body.count)"])
        client.say(body)
        #expect(client.status == 400)
        let place = Meter.Layout.batch(.refused(.malformedJSON), .aes128gcm)
        #expect(posts.core.meters.judges.value(at: place) == (count > 4096 ? 1 : 0))
    }
}
