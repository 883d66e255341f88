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
}
