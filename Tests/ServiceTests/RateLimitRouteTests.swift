import Foundation
import Sealing
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

    /// A site with a key for sealed bodies and one of 2013.
    private struct Keys {
        let posts: Posts
        let limiter: RateLimiter
        let sealing: BucketTable.Owner
        let legacy: BucketTable.Owner
        static let secret = [UInt8](repeating: 7, count: 32)
        static let legacySecret = Array(secret.prefix(16))

        init() throws {
            posts = try Posts()
            let registry = posts.site.store.registry
            limiter = try #require(posts.core.rateLimiter)
            sealing = .key(
                try registry.addKey(
                    name: "k1", app: "shop", profile: .aes128gcm, algorithm: nil,
                    secret: Self.secret
                ).id)
            legacy = .key(
                try registry.addKey(
                    name: "old", app: "shop", profile: .legacy, algorithm: nil,
                    secret: Self.legacySecret
                ).id)
        }

        func status(_ body: [UInt8], path: String = "/v1/apps/shop/batches") -> Int {
            let client = ReportTestReader(port: posts.port)
            client.say(
                """
                POST \(path) HTTP/1.1\r
                Host: a\r
                Content-Type: application/json\r
                Content-Encoding: aes128gcm\r
                Content-Length: \(body.count)\r
                \r\n
                """)
            client.say(body)
            return client.status
        }

        static func sealed(_ text: String, key: String = "k1", secret: [UInt8] = secret) -> [UInt8]
        {
            ContentCoding.seal(
                Array(text.utf8).span, keyID: Array(key.utf8).span, secret: secret.span)
        }

        static func batch(_ id: String, more: String = "") -> String {
            #"{"batch_id":"\#(id)","resource":{"device.id":"\#(id)"},"events":[]\#(more)}"#
        }

        /// How many batches may be taken of a key until it has none left.
        func rest(of owner: BucketTable.Owner) -> Int {
            var count = 0
            while limiter.take(owner) == nil { count += 1 }
            return count
        }
    }

    @Test("who merely names a key takes nothing of its limit, and is 429 while it is empty")
    func namedKey() throws {
        let keys = try Keys()
        // Nobody can open these records: sealed with another secret.
        let other = [UInt8](repeating: 8, count: 32)
        let garbage = Keys.sealed(Keys.batch("g"), secret: other)
        for _ in 0..<3 { #expect(keys.status(garbage) == 400) }
        // Of more records than a loop opens.
        let many = ContentCoding.seal(
            [UInt8](repeating: 32, count: 5000).span, keyID: Array("k1".utf8).span,
            secret: other.span, recordSize: 18)
        for _ in 0..<3 { #expect(keys.status(many) == 400) }
        #expect(keys.status([UInt8](repeating: 5, count: 32), path: "/v1/legacy/old") == 400)
        #expect(keys.rest(of: keys.sealing) == 100)
        #expect(keys.rest(of: keys.legacy) == 100)
        #expect(keys.status(garbage) == 429)
        #expect(keys.status(many) == 429)
        #expect(keys.status(Keys.sealed(Keys.batch("b"))) == 429)
        #expect(keys.status([UInt8](repeating: 5, count: 32), path: "/v1/legacy/old") == 429)
        #expect(keys.status(Keys.sealed(Keys.batch("b"), key: "k2")) == 401)
    }

    @Test("a key pays for what its first record, or its padding, has proved to be sealed with it")
    func provenKey() throws {
        let keys = try Keys()
        #expect(keys.status(Keys.sealed(Keys.batch("b1"))) == 200)
        #expect(keys.status(Keys.sealed("no JSON")) == 400)
        // The first of its two records is good, the second is not.
        var broken = Keys.sealed(Keys.batch("b2") + String(repeating: " ", count: 5000))
        broken[broken.count - 1] ^= 1
        #expect(keys.status(broken) == 400)
        // A judge opens it once more, which costs nothing more; 600 KiB are three.
        let large = Keys.batch("b3") + String(repeating: " ", count: 600 << 10)
        #expect(keys.status(Keys.sealed(large)) == 200)
        #expect(keys.rest(of: keys.sealing) == 100 - 6)
        let padding = LegacyCipher().seal([UInt8]().span, key: Keys.legacySecret.span)
        #expect(keys.status(padding, path: "/v1/legacy/old") == 200)
        #expect(keys.rest(of: keys.legacy) == 99)
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
        #expect(second.head.contains("\r\nRetry-After: 2\r\n"))
        // Its token had a hundred; one more was asked for by the second.
        let limiter = try #require(posts.core.rateLimiter)
        let id = try #require(
            posts.site.store.registry.snapshot.tokens.first { $0.scope == .ingest }?.id)
        for _ in 0..<96 { #expect(limiter.admits(token: id)) }
        #expect(!limiter.admits(token: id))
    }

    @Test("a batch of many elements counts for each 32,768 begun, of the device and of the token")
    func elements() throws {
        let posts = try Posts()
        let zeros = String(repeating: "0,", count: 70_000)
        #expect(posts.post("b1", events: "[],\"x\":[\(zeros)0]").status == 200)
        let second = posts.post("b2")
        #expect(second.status == 429)
        #expect(second.head.contains("\r\nRetry-After: 2\r\n"))
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
