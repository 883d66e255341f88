import Foundation
import TestSupport
import Testing

/// docs/protocol.md, The answer: a batch that was answered 200 is on disk, whole, exactly once.
@Suite("after a kill", .tags(.long), .serialized)
struct CrashTests {
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
