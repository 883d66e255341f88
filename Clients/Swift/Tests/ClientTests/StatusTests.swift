import Foundation
import Testing

@testable import Core
@testable import SojournClient

@Suite("The account of a client that does not run")
struct StatusTests {
    /// Nil where nothing has come within five seconds.
    private func status(of client: Client) async throws -> Status? {
        let found = Locked<Status?>(nil)
        client.status { status in found.use { $0 = status } }
        for _ in 0..<500 where found.use({ $0 }) == nil {
            try await Task.sleep(for: .milliseconds(10))
        }
        return found.use { $0 }
    }

    @Test("before the start it is zero, and nobody waits for it")
    func beforeStart() async throws {
        let client = Client()
        client.event("a", [:], isOwn: true)
        #expect(try await status(of: client) == Status())
    }

    @Test("after a start with a key that is none, too")
    func noKey() async throws {
        let client = Client()
        client.start {
            Configuration(
                app: "shop", key: .aes128gcm("k1"), server: "http://127.0.0.1:9",
                folder: NSTemporaryDirectory() + "sojourn-status")
        }
        #expect(try await status(of: client) == Status())
    }

    /// What closures of completions were told, once so many have come or twenty seconds are over.
    private func answers(
        _ count: Int, _ body: (@escaping @Sendable (Bool) -> Void) -> Void
    ) async throws -> [Bool] {
        let told = Locked<[Bool]>([])
        body { isFirst in told.use { $0.append(isFirst) } }
        for _ in 0..<2000 where told.use({ $0.count }) < count {
            try await Task.sleep(for: .milliseconds(10))
        }
        return told.use { $0 }
    }

    @Test(
        "closures come after a start that has failed, before it and afterwards",
        arguments: [
            ("k1", "http://127.0.0.1:9"), ("k1:" + String(repeating: "A", count: 43), "stats"),
        ])
    func failedStart(_ key: String, _ server: String) async throws {
        let client = Client()
        let told = try await answers(4) { then in
            client.completed("a", then: then)
            client.completed("b", then: then)
            client.start {
                Configuration(
                    app: "shop", key: .aes128gcm(key), server: server,
                    folder: NSTemporaryDirectory() + "sojourn-status")
            }
            client.completed("c", then: then)
            client.status { _ in client.completed("d", then: then) }
        }
        #expect(told == [false, false, false, false])
        let done = Locked(0)
        client.sync { done.use { $0 += 1 } }
        client.forget { done.use { $0 += 1 } }
        client.enable(false) { done.use { $0 += 1 } }
        client.background { done.use { $0 += 1 } }
        client.flush(within: 1) { _ in done.use { $0 += 1 } }
        for _ in 0..<500 where done.use({ $0 }) < 5 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(done.use { $0 } == 5)
        #expect(try await status(of: client) == Status())
    }

    @Test("after ten seconds without a folder, too; what was called is recorded later")
    func noFolder() async throws {
        let root = NSTemporaryDirectory() + "sojourn-status-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: root) }
        try Data().write(to: URL(fileURLWithPath: root))
        let client = Client()
        let found = Locked<Status?>(nil)
        let told = try await answers(2) { then in
            client.completed("a", then: then)
            client.start {
                Configuration(
                    app: "shop", key: .aes128gcm("k1:" + String(repeating: "A", count: 43)),
                    server: "http://127.0.0.1:9", folder: root + "/folder")
            }
            client.status { status in
                found.use { $0 = status }
                client.completed("b", then: then)
            }
        }
        #expect(told == [false, false] && found.use { $0 } == Status())
        try FileManager.default.removeItem(atPath: root)
        var waiting: Int64 = 0
        for _ in 0..<500 where waiting < 2 {
            waiting = try await status(of: client)?.waiting ?? 0
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(waiting == 2)
    }
}
