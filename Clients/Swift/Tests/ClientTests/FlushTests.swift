#if canImport(Glibc)
import Foundation
import Glibc
import Testing

@testable import Core
@testable import SojournClient

@Suite("A flush")
struct FlushTests {
    private let folder = NSTemporaryDirectory() + "sojourn-flush-" + UUID().uuidString

    private func client() -> Client {
        let client = Client()
        client.start { [folder] in
            Configuration(
                app: "shop", key: .aes128gcm("k1:" + String(repeating: "A", count: 43)),
                server: "http://127.0.0.1:9", folder: folder)
        }
        return client
    }

    private func sync(_ client: Client) async {
        await withCheckedContinuation { done in client.sync { done.resume() } }
    }

    @Test("it is over in its time, whatever the client's queue waits for", arguments: [0, 400])
    func stuckQueue(_ milliseconds: Int64) async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let client = client()
        client.event("a", [:], isOwn: true)
        await sync(client)
        // The client's queue waits for this lock before it writes.
        let lock = open(folder, O_RDONLY)
        #expect(flock(lock, LOCK_EX) == 0)
        let answers = Locked<[Bool]>([])
        client.flush(within: milliseconds) { isDone in answers.use { $0.append(isDone) } }
        for _ in 0..<500 where answers.use({ $0.isEmpty }) {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(answers.use { $0 } == [false])
        close(lock)
        await sync(client)
        #expect(answers.use { $0 } == [false])
    }

    @Test("where nothing waits it says so, however short it is")
    func nothing() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let client = client()
        await sync(client)
        for milliseconds in [0, 1, 5000] as [Int64] {
            let isDone = await withCheckedContinuation { done in
                client.flush(within: milliseconds) { done.resume(returning: $0) }
            }
            #expect(isDone)
        }
    }
}
#endif
