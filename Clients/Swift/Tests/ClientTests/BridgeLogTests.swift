import Foundation
import Testing

@testable import Core
@testable import SojournClient

@Suite("What a page makes the log say")
struct BridgeLogTests {
    @Test("a page that breaks rules without end does not fill the log")
    func flood() async {
        let folder = NSTemporaryDirectory() + "sojourn-bridge-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let count = Locked(0)
        let client = Client()
        client.start {
            var configuration = Configuration(
                app: "shop", key: .aes128gcm("k1:" + String(repeating: "A", count: 43)),
                server: "http://127.0.0.1:9", folder: folder)
            configuration.log = { _ in count.use { $0 += 1 } }
            return configuration
        }
        let bridge = SojournBridge(contentID: nil, client: client)
        for index in 0..<9000 {
            switch index % 3 {
            case 0: bridge.message("{}", isMainFrame: true)
            case 1: bridge.message("{\"name\":\"a\"}", isMainFrame: false)
            default: #expect(bridge.decide("rb:", isMainFrame: true) == .handled)
            }
        }
        await withCheckedContinuation { done in client.sync { done.resume() } }
        #expect((1...100).contains(count.use { $0 }))
    }
}
