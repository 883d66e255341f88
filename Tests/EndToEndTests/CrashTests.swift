import Dispatch
import Foundation
import Synchronization
import Testing

/// docs/protocol.md, The answer: a batch that was answered 200 is on disk, whole, exactly once.
@Suite("after a kill", .serialized)
struct CrashTests {
    @Test("every batch that was answered 200 is there once, every other once or not at all")
    func killUnderLoad() throws {
        let server = try TestServer()
        let posted = Mutex<(answered: Set<String>, tried: Set<String>)>(([], []))
        for round in 0..<3 {
            try server.start()
            let enough = DispatchSemaphore(value: 0)
            let clients = DispatchGroup()
            for client in 0..<8 {
                DispatchQueue(label: "client.\(client)").async(group: clients) {
                    guard let connection = try? server.connect() else { return }
                    for number in 0... {
                        let id = "r\(round)-c\(client)-\(number)"
                        posted.withLock { _ = $0.tried.insert(id) }
                        let text = batch(id, device: "phone-\(client)", count: 20)
                        guard server.post(text, on: connection) == 200 else { return }
                        let count = posted.withLock { state in
                            state.answered.insert(id)
                            return state.answered.count
                        }
                        if count >= (round + 1) * 150 { enough.signal() }
                    }
                }
            }
            #expect(enough.wait(timeout: .now() + 60) == .success)
            #expect(server.kill(SIGKILL) == -SIGKILL)
            clients.wait()
        }
        try server.start()
        var stored: [String: Set<String>] = [:]
        for event in try server.storedEvents() {
            let id = String(event.split(separator: "/")[0])
            #expect(stored[id, default: []].insert(event).inserted, "\(event) is there twice")
        }
        let (answered, tried) = posted.withLock { $0 }
        #expect(answered.subtracting(stored.keys).isEmpty, "batches are lost")
        #expect(Set(stored.keys).subtracting(tried).isEmpty)
        #expect(stored.values.allSatisfy { $0.count == 20 }, "a batch is not whole")
        #expect(server.kill(SIGTERM) == 0)
    }

    @Test("a repeat is recognised after a restart, with the first answer's counts")
    func repeatAfterRestart() throws {
        let server = try TestServer()
        try server.start()
        let text = batch("b-1")
        #expect(server.post(text, on: try server.connect()) == 200)
        #expect(server.kill(SIGKILL) == -SIGKILL)
        try server.start()
        let answer = try server.connect().exchange(
            "POST /v1/apps/shop/batches HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(server.ingestToken)\r\n"
                + "Content-Type: application/json\r\nContent-Length: \(text.utf8.count)\r\n\r\n"
                + text)
        #expect(answer?.body == #"{"batch_id":"b-1","duplicate":true,"accepted":3,"rejected":0}"#)
        #expect(try server.storedEvents().count == 3)
    }
}
