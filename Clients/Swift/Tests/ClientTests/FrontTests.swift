import Foundation
import Testing

@testable import Core
@testable import SojournClient

/// What callers are promised, whatever the journal and the network do.
@Suite("The front")
struct FrontTests {
    private let root = NSTemporaryDirectory() + "sojourn-front-" + UUID().uuidString

    private func start(_ client: Client, in folder: String? = nil) {
        let folder = folder ?? root + "/journal"
        // Nobody listens: what is recorded waits.
        client.start {
            Configuration(
                app: "shop", key: .aes128gcm("k1:" + String(repeating: "A", count: 43)),
                server: "http://127.0.0.1:9", folder: folder)
        }
    }

    private func status(of client: Client) async -> Status {
        await withCheckedContinuation { done in client.status { done.resume(returning: $0) } }
    }

    /// Whether something calls back within five seconds, and how often.
    private func calls(_ body: (@escaping @Sendable () -> Void) -> Void) async throws -> Int {
        let count = Locked(0)
        body { count.use { $0 += 1 } }
        for _ in 0..<500 where count.use({ $0 }) == 0 {
            try await Task.sleep(for: .milliseconds(10))
        }
        return count.use { $0 }
    }

    private func off(_ client: Client) async {
        start(client)
        await withCheckedContinuation { done in client.enable(false) { done.resume() } }
    }

    @Test(
        "switched on again, before or after the start, what follows is recorded",
        arguments: [true, false])
    func consent(_ isBefore: Bool) async {
        defer { try? FileManager.default.removeItem(atPath: root) }
        await off(Client())
        let client = Client()
        if !isBefore { start(client) }
        client.event("before", [:], isOwn: true)
        client.enable(true)
        client.event("a", [:], isOwn: true)
        if isBefore { start(client) }
        client.event("b", [:], isOwn: true)
        let status = await status(of: client)
        #expect(status.waiting == 2 && status.appended == 2, "\(status)")
        #expect(client.isEnabled)
    }

    @Test("the latest word counts")
    func latestWord() async {
        defer { try? FileManager.default.removeItem(atPath: root) }
        let client = Client()
        client.enable(true)
        client.enable(false)
        start(client)
        #expect(await status(of: client).appended == 0)
        #expect(!client.isEnabled)
    }

    @Test("an earlier off lasts")
    func off() async {
        defer { try? FileManager.default.removeItem(atPath: root) }
        await off(Client())
        let client = Client()
        start(client)
        #expect(await status(of: client).appended == 0)
        #expect(!client.isEnabled)
        client.event("a", [:], isOwn: true)
        #expect(await status(of: client).appended == 0)
    }

    @Test("each completion is answered once, of those that found no room, too")
    func completions() async throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        let client = Client()
        let answers = Locked([Bool]())
        for number in 0..<1200 {
            client.completed("c-\(number)") { isFirst in answers.use { $0.append(isFirst) } }
        }
        for _ in 0..<500 where answers.use({ $0.count }) < 200 {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(answers.use { $0 } == Array(repeating: false, count: 200))
        client.forget()
        for _ in 0..<500 where answers.use({ $0.count }) < 1200 {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(answers.use { $0.count } == 1200)
    }

    @Test("nobody waits for an upload or the end where there is no journal")
    func noJournal() async throws {
        let never = Client()
        #expect(try await calls { done in never.background { done() } } == 1)
        #expect(try await calls { done in never.terminate { done() } } == 1)
        let broken = Client()
        start(broken, in: "/dev/null/x")
        #expect(try await calls { done in broken.background { done() } } == 1)
        #expect(try await calls { done in broken.terminate { done() } } == 1)
    }

    @Test("no text of a key has its secret")
    func secrets() {
        let keys: [Key] = ["k1:secret", .jwe(id: "k2", publicJWK: "{}", token: "secret")]
        for key in keys {
            var dumped = ""
            dump(key, to: &dumped)
            #expect(!"\(key) \(String(reflecting: key)) \(dumped)".contains("secret"))
        }
    }

    @Test("a JWK may have more members, as other makers write them")
    func jwk() {
        let point = "\"x\":\"\(String(repeating: "A", count: 43))\""
        let text =
            "{\"kty\":\"EC\",\"crv\":\"P-256\",\"key_ops\":[],\"ext\":true,\"x5c\":null,\"x\":\"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4\",\"y\":\"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM\"}"
        #expect(Sealer(.jwe(id: "k", publicJWK: text, token: "t")) != nil)
        #expect(Sealer(.jwe(id: "k", publicJWK: "{\(point)}", token: "t")) == nil)
    }

    @Test("an alarm that rings again at once keeps nobody waiting")
    func fairness() async throws {
        let worker = Worker()
        let isOver = Locked(false)
        @Sendable func ring() {
            if isOver.use({ $0 }) { return }
            worker.run(at: SystemClock.monotonic()) { ring() }
        }
        ring()
        #expect(try await calls { done in worker.run { done() } } == 1)
        isOver.use { $0 = true }
    }
}
