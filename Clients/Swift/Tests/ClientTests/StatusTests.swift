import Foundation
import Testing

@testable import Core
@testable import SojournClient

@Suite("The account of a client that does not run")
struct StatusTests {
    private func status(of client: Client) async -> Status {
        await withCheckedContinuation { done in client.status { done.resume(returning: $0) } }
    }

    @Test("before the start it is zero, and nobody waits for it", .timeLimit(.minutes(1)))
    func beforeStart() async {
        let client = Client()
        client.event("a", [:], isOwn: true)
        #expect(await status(of: client) == Status())
    }

    @Test("after a start with a key that is none, too", .timeLimit(.minutes(1)))
    func noKey() async {
        let client = Client()
        client.start {
            Configuration(
                app: "shop", key: .aes128gcm("k1"), server: "http://127.0.0.1:9",
                folder: NSTemporaryDirectory() + "sojourn-status")
        }
        #expect(await status(of: client) == Status())
    }
}
