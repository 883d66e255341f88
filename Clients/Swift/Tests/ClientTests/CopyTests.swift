#if canImport(Glibc)
import Foundation
import Testing

@testable import Core
@testable import SojournClient

/// A client is killed while a batch is in doubt, and another one is started on a copy of its folder.
@Suite("A copy of the folder, in which one file is not as it was")
struct CopyTests {
    /// What became of the file.
    enum Change: CaseIterable { case gone, folder, byte }

    /// All that a folder has: two segments, the ledger, what a kill leaves of the next ledger, and the lock of
    /// uploads.
    private static let files = [
        "0000000000000001.events", "0000000000000002.events", "ledger", "ledger.new", "uploads",
    ]
    /// The longest wait after a first failure, ms.
    private static let wait: Int64 = 1000

    private let root = NSTemporaryDirectory() + "sojourn-copy-" + UUID().uuidString

    private func client(in folder: String, _ server: StrangeServer) -> Client {
        let client = Client()
        client.start {
            var configuration = Configuration(
                app: "shop", key: .aes128gcm("k1:" + String(repeating: "A", count: 43)),
                server: "http://127.0.0.1:\(server.port)", folder: folder)
            configuration.limits.backoff.unit = Self.wait
            return configuration
        }
        return client
    }

    private func record(_ client: Client) async {
        client.event("a", [:], isOwn: true)
        await withCheckedContinuation { done in client.sync { done.resume() } }
    }

    /// What is left of a client that has posted once, to a server that has said nothing. The folder is copied as
    /// it is: no lock is held in a copy, so that nobody has to be killed.
    private func prepare() async throws -> String {
        let folder = root + "/folder"
        let server = try StrangeServer([])
        // Another process, whose segment stays its own.
        let other = client(in: folder, server)
        await record(other)
        let client = client(in: folder, server)
        await record(client)
        let isDone = await withCheckedContinuation { done in
            client.flush(within: 300) { done.resume(returning: $0) }
        }
        #expect(!isDone)
        let status = await withCheckedContinuation { done in
            client.status { done.resume(returning: $0) }
        }
        #expect(status.failures == 1 && status.next <= Self.wait)
        let copy = root + "/copy"
        try FileManager.default.copyItem(atPath: folder, toPath: copy)
        try Data("sojourn-ledger 1\n".utf8).write(to: URL(fileURLWithPath: copy + "/ledger.new"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: copy).sorted() == Self.files)
        return copy
    }

    private func apply(_ change: Change, to path: String) throws {
        let url = URL(fileURLWithPath: path)
        var bytes = try Data(contentsOf: url)
        try FileManager.default.removeItem(at: url)
        switch change {
        case .gone: break
        case .folder:
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
            try Data("precious".utf8).write(to: url.appendingPathComponent("x"))
        case .byte:
            if !bytes.isEmpty { bytes[bytes.count / 2] ^= 1 }
            try bytes.write(to: url)
        }
    }

    @Test("nothing waits longer than it was told to", arguments: files, Change.allCases)
    func waits(_ name: String, _ change: Change) async throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        let copy = try await prepare()
        try apply(change, to: copy + "/" + name)
        let server = try StrangeServer([])
        let clock = ContinuousClock()
        let began = clock.now
        let client = client(in: copy, server)
        await record(client)
        client.flush(within: 20_000) { _ in }
        while server.connections == 0, clock.now - began < .seconds(20) {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(clock.now - began < .milliseconds(Self.wait + 3000))
    }
}
#endif
