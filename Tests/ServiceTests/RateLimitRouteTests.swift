import Foundation
import Storage
import Testing

@testable import Service

/// Rate limits over HTTP (docs/operation.md, Rate limits; docs/protocol.md, The answer).
@Suite("rate limits over HTTP")
struct RateLimitRouteTests {
    /// A site with an app that takes plain bodies, its token, and a limit of one batch a second.
    private struct Posts {
        let site: ReportTestSite
        let core: ServiceCore
        let port: UInt16
        let token: String

        init(_ settings: [String: String] = ["rate-limit": "1"]) throws {
            site = try ReportTestSite()
            _ = try site.store.registry.setApp("shop", AppChange(allowsPlain: true))
            token = try site.store.registry.addToken(scope: .ingest, app: "shop").text
            // A clock that stands still: no machine is too slow for it.
            (core, port) = try site.serve(settings, rateClock: { 1 })
        }

        func post(
            _ id: String, device: String = "d", query: String = "", token: String? = nil,
            events: String = "[]"
        ) -> (status: Int, head: String) {
            let body =
                #"{"batch_id":"\#(id)","resource":{"device.id":"\#(device)"},"events":\#(events)}"#
            let client = ReportTestReader(port: port)
            client.say(
                """
                POST /v1/apps/shop/batches\(query) HTTP/1.1\r
                Host: a\r
                Authorization: Bearer \(token ?? self.token)\r
                Content-Type: application/json\r
                Content-Length: \(body.utf8.count)\r
                \r
                \(body)
                """)
            return (client.status, client.head)
        }
    }

    @Test("a device's second batch in a second is 429 with Retry-After, a repeat and a dry run too")
    func device() throws {
        let posts = try Posts()
        #expect(posts.post("b1").status == 200)
        let second = posts.post("b2")
        #expect(second.status == 429)
        #expect(second.head.contains("\r\nRetry-After: 1\r\n"))
        #expect(posts.post("b1").status == 429)
        #expect(posts.post("b3", query: "?dry_run=1").status == 429)
        #expect(posts.post("b4", device: "other").status == 200)
    }

    @Test("devices that share one id do not share a limit")
    func shared() throws {
        let posts = try Posts()
        for place in 0..<3 {
            #expect(posts.post("b\(place)", device: "9774d56d682e549c").status == 200)
        }
    }

    @Test("a batch that breaks a rule is told so, and does not count against its device")
    func rulesFirst() throws {
        let posts = try Posts()
        #expect(posts.post("b1", events: "1").status == 422)
        #expect(posts.post("b1", events: "1").status == 422)
        #expect(posts.post("b1").status == 200)
        #expect(posts.post("b1", events: "1").status == 422)
    }

    @Test("a token's hundred and first batch in a second is 429 before its body is looked at")
    func token() throws {
        let posts = try Posts()
        let id = try #require(
            posts.site.store.registry.snapshot.tokens.first { $0.scope == .ingest }?.id)
        let limiter = try #require(posts.core.rateLimiter)
        for _ in 0..<100 { #expect(limiter.admits(token: id)) }
        #expect(posts.post("b1", events: "1").status == 429)
        #expect(posts.post("b1", token: "sj_wrong").status == 401)
    }

    @Test("a key's hundred and first batch in a second is 429 before it is decrypted")
    func key() throws {
        let posts = try Posts()
        let registry = posts.site.store.registry
        let limiter = try #require(posts.core.rateLimiter)
        let bytes = { (count: Int) in [UInt8](repeating: 7, count: count) }
        let sealing = try registry.addKey(
            name: "k1", app: "shop", profile: .aes128gcm, algorithm: nil, secret: bytes(32))
        let legacy = try registry.addKey(
            name: "old", app: "shop", profile: .legacy, algorithm: nil, secret: bytes(16))
        // A header block of RFC 8188 that names the key, and records that nobody can open.
        func status(_ path: String, key: String) -> Int {
            let body =
                String(repeating: "s", count: 16) + "\u{0}\u{0}\u{10}\u{0}\u{2}" + key
                + String(repeating: "r", count: 40)
            let client = ReportTestReader(port: posts.port)
            client.say(
                """
                POST \(path) HTTP/1.1\r
                Host: a\r
                Content-Type: application/json\r
                Content-Encoding: aes128gcm\r
                Content-Length: \(body.utf8.count)\r
                \r
                \(body)
                """)
            return client.status
        }
        #expect(status("/v1/apps/shop/batches", key: "k1") == 400)
        #expect(status("/v1/legacy/old", key: "k1") == 400)
        // One of the hundred is gone.
        for _ in 0..<99 {
            #expect(limiter.admits(key: sealing.id) && limiter.admits(key: legacy.id))
        }
        #expect(status("/v1/apps/shop/batches", key: "k1") == 429)
        #expect(status("/v1/legacy/old", key: "k1") == 429)
        #expect(status("/v1/apps/shop/batches", key: "k2") == 401)
    }

    @Test(
        "a large batch counts for each 256 KiB begun of its JSON, and Retry-After says until when")
    func large() throws {
        let posts = try Posts()
        let event = { (bytes: Int) in
            #"[{"x":"\#(String(repeating: "y", count: bytes))"}]"#
        }
        #expect(posts.post("b1", events: event(600 << 10)).status == 200)
        let second = posts.post("b2")
        #expect(second.status == 429)
        #expect(second.head.contains("\r\nRetry-After: 3\r\n"))
        // Its token had a hundred; one more was asked for by the second.
        let limiter = try #require(posts.core.rateLimiter)
        let id = try #require(
            posts.site.store.registry.snapshot.tokens.first { $0.scope == .ingest }?.id)
        for _ in 0..<96 { #expect(limiter.admits(token: id)) }
        #expect(!limiter.admits(token: id))
    }

    @Test("what has been inflated is charged to the token though the batch breaks a rule")
    func largeAndBroken() throws {
        let posts = try Posts()
        let spaces = String(repeating: " ", count: 600 << 10)
        #expect(posts.post("b1", events: "1" + spaces).status == 422)
        let limiter = try #require(posts.core.rateLimiter)
        let id = try #require(
            posts.site.store.registry.snapshot.tokens.first { $0.scope == .ingest }?.id)
        for _ in 0..<97 { #expect(limiter.admits(token: id)) }
        #expect(!limiter.admits(token: id))
        #expect(limiter.take(.token(id), units: 1) == 1)
    }

    @Test("without the setting nobody is refused")
    func off() throws {
        let posts = try Posts([:])
        #expect(posts.core.rateLimiter == nil)
        for number in 0..<20 { #expect(posts.post("b\(number)").status == 200) }
    }
}
