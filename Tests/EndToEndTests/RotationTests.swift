import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

/// docs/guide.md, Rotating keys: two keys of one app side by side, and then one.
@Suite("rotation of keys", .serialized)
struct RotationTests {
    /// A device that seals under one key after the other, one batch at a time, and keeps a batch
    /// until it is answered 200.
    private final class Device: Sendable {
        private let state: Mutex<State>

        private struct State {
            var key: String
            var next: String?
            var stored: [String: Set<String>] = [:]
            var refusals = 0
            var isDone = false
            var complaint: String?
        }

        init(key: String) { state = Mutex(State(key: key)) }

        /// How many batches were answered 200 under that key.
        func count(under key: String) -> Int { state.withLock { $0.stored[key]?.count ?? 0 } }
        var stored: Set<String> {
            state.withLock { $0.stored.values.reduce(into: []) { $0.formUnion($1) } }
        }
        var refusals: Int { state.withLock { $0.refusals } }
        var complaint: String? { state.withLock { $0.complaint } }
        var key: String { state.withLock { $0.key } }

        /// An update of the app brings another key.
        func take(_ key: String) { state.withLock { $0.key = key } }
        /// The key that it turns to once its own is refused.
        func fallBack(to key: String) { state.withLock { $0.next = key } }
        func stop() { state.withLock { $0.isDone = true } }

        /// Posts until it is stopped.
        func run(_ name: String, _ post: (_ batch: String, _ key: String) throws -> (Int, String)) {
            var number = 0
            while !state.withLock({ $0.isDone || $0.complaint != nil }) {
                let id = "\(name)-\(number)"
                let key = key
                let answer = (try? post(batch(id, device: name, count: 2), key)) ?? (0, "no answer")
                state.withLock { state in
                    switch answer {
                    case (200, _):
                        state.stored[key, default: []].insert(id)
                        number += 1
                    case (403, "revoked-key"):
                        // The batch is kept, and goes under the other key.
                        state.refusals += 1
                        if let next = state.next { state.key = next }
                    default: state.complaint = "\(id) under \(key): \(answer)"
                    }
                }
            }
        }
    }

    @Test("a revoked key is refused within 2 s, and nothing posted meanwhile is lost")
    func rotation() throws {
        let server = try TestServer()
        try server.start()
        let folder = server.data + "-keys"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data(server.secret.utf8).write(to: URL(filePath: folder + "/k1"))
        let post: @Sendable (String, String) throws -> (Int, String) = { text, key in
            try server.send(text, key: key, secretFile: folder + "/" + key)
        }

        let devices = (early: Device(key: "k1"), late: Device(key: "k1"))
        let group = DispatchGroup()
        for (name, device) in [("early", devices.early), ("late", devices.late)] {
            DispatchQueue(label: name).async(group: group) { device.run(name, post) }
        }
        defer {
            devices.early.stop()
            devices.late.stop()
            group.wait()
        }
        try wait { devices.early.count(under: "k1") >= 5 && devices.late.count(under: "k1") >= 5 }

        // Both keys are good; one device has the update, the other not yet.
        try Data(try server.addKey("k2", profile: "aes128gcm").utf8)
            .write(to: URL(filePath: folder + "/k2"))
        devices.early.take("k2")
        devices.late.fallBack(to: "k2")
        let before = devices.late.count(under: "k1")
        try wait {
            devices.early.count(under: "k2") >= 5 && devices.late.count(under: "k1") >= before + 5
        }

        #expect(try BuiltProgram.run(["key", "revoke", "k1", "--data", server.data]).status == 0)
        let revoked = DispatchTime.now()
        while true {
            let began = DispatchTime.now()
            let answer = try post(batch("probe", device: "probe"), "k1")
            if answer == (403, "revoked-key") { break }
            #expect(answer.0 == 200)
            try #require(began < revoked + 2, "the old key is still taken after 2 s")
        }
        let switched = devices.late.count(under: "k2")
        try wait { devices.late.count(under: "k2") >= switched + 5 && devices.late.key == "k2" }
        devices.early.stop()
        devices.late.stop()
        group.wait()

        #expect(devices.early.complaint == nil && devices.late.complaint == nil)
        #expect(devices.early.refusals == 0)
        #expect(devices.late.refusals == 1)
        let answered = devices.early.stored.union(devices.late.stored)
        let events = try server.storedEvents().filter { !$0.hasPrefix("probe/") }
        #expect(events.count == Set(events).count)
        #expect(Set(events) == Set(answered.flatMap { ["\($0)/0", "\($0)/1"] }))
        let list = try BuiltProgram.run(["key", "list", "--data", server.data]).output
        #expect(list.contains(/k1 .*revoked/) && !list.contains(/k2 .*revoked/))
    }

    /// Looks again until it is so.
    private func wait(_ isSo: () -> Bool) throws {
        let came = eventually(isSo)
        try #require(came, "a device posts no more")
    }
}
