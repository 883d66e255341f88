import Foundation
import HTTP1
import Sockets
import Synchronization
import TestSupport
import Testing

extension Serving {
    /// Answers with something that is held until their readers have taken them, or are gone.
    @Suite struct HeldAnswerTests {
        private let site = TestSite()

        private var holds: Int { site.board.holds.load(ordering: .relaxed) }

        @Test("comes whole between others, in order, and is let go when it has been written")
        func whole() throws {
            let server = try site.start()
            defer { server.end() }
            let client = try TestClient(server.address, receiveBuffer: 4096)
            let head = "HEAD /kept HTTP/1.1\r\nHost: a\r\n\r\n"
            client.send(get("/") + get("/kept") + get("/kept") + get("/"))
            #expect(eventually { holds >= 1 })
            usleep(50_000)
            #expect(holds >= 1)
            let bodies = client.bodies(4)
            #expect(bodies.map(\.utf8.count) == [3, 8_000_000, 8_000_000, 3])
            #expect(bodies[1].utf8.allSatisfy { $0 == 0x62 })
            #expect(eventually { holds == 0 })
            let other = try TestClient(server.address)
            other.send(head + get("/"))
            #expect(eventually { holds == 0 && !other.waits(0) || other.read() })
            #expect(eventually { holds == 0 })
        }

        @Test("is let go with its reader")
        func gone() throws {
            let server = try site.start()
            defer { server.end() }
            let client = try TestClient(server.address, receiveBuffer: 4096)
            client.send(get("/kept"))
            #expect(eventually { holds == 1 })
            client.reset()
            #expect(eventually { holds == 0 && server.connections == 0 })
        }
    }
}
