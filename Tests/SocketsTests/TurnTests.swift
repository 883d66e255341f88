import HTTP1
import Sockets
import Synchronization
import TestSupport
import Testing

extension Serving {
    /// What a loop does when all who were ready have had their turn, and when it thinks that something came.
    @Suite struct TurnTests {
        private let site = TestSite()

        @Test("what a handler has put off is answered turn by turn, though nothing else happens")
        func putOff() throws {
            let server = try site.start(loops: 1)
            defer { server.end() }
            let blocking = try TestClient(server.address)
            let clients = try (0..<5).map { _ in try TestClient(server.address) }
            // All are ready when the loop turns again.
            blocking.send(get("/block"))
            #expect(eventually { site.handled == 1 })
            for client in clients { client.send(get("/put-off") + get("/")) }
            site.board.gate.signal()
            for client in clients { #expect(client.statuses(2) == [200, 200]) }
        }

        @Test("of requests that one sends at once few are answered before others have their turn")
        func atOnce() throws {
            let server = try site.start(loops: 1)
            defer { server.end() }
            let blocking = try TestClient(server.address)
            // Whichever way round they have their turns.
            let first = try TestClient(server.address)
            let eager = try (0..<5).map { _ in try TestClient(server.address) }
            let last = try TestClient(server.address)
            blocking.send(get("/block"))
            #expect(eventually { site.handled == 1 })
            first.send(get("/early-count"))
            for client in eager { client.send(String(repeating: get("/early"), count: 1000)) }
            last.send(get("/early-count"))
            site.board.gate.signal()
            for other in [first, last] {
                let before = try #require(other.bodies(1).first.flatMap { Int($0) })
                #expect(before <= 5 * 16)
            }
            for client in eager {
                #expect(client.statuses(1000) == [Int](repeating: 404, count: 1000))
            }
        }

        @Test("what was put off is finished before a loop ends")
        func stop() throws {
            let server = try site.start(loops: 1)
            defer { server.end() }
            let blocking = try TestClient(server.address)
            let clients = try (0..<3).map { _ in try TestClient(server.address) }
            blocking.send(get("/block"))
            #expect(eventually { site.handled == 1 })
            for client in clients { client.send(get("/put-off")) }
            server.stopAccepting()
            site.board.gate.signal()
            for client in clients { #expect(client.statuses(1) == [200]) }
            server.drain()
        }

        /// A clock that tests set forward, and that counts who reads it.
        private final class SetClock: Sendable {
            let ahead = Atomic<Int64>(0)
            let readings = Atomic<Int>(0)

            var clock: Clock {
                Clock(
                    monotonic: {
                        let ahead = self.ahead.load(ordering: .sequentiallyConsistent)
                        self.readings.add(1, ordering: .sequentiallyConsistent)
                        return Clock.system.monotonic() + ahead
                    },
                    wall: {
                        let ahead = self.ahead.load(ordering: .sequentiallyConsistent)
                        return Clock.system.wall() + ahead / 1_000_000
                    })
            }
        }

        @Test(
            "a request arrives when its first byte comes, however long the answer before it takes",
            arguments: [true, false])
        func pipelined(isSentTogether: Bool) throws {
            let clock = SetClock()
            let server = try site.start(loops: 1) { $0.clock = clock.clock }
            defer { server.end() }
            let client = try TestClient(server.address)
            let begun = Clock.system.wall()
            client.send(get("/never") + (isSentTogether ? get("/never") : ""))
            #expect(eventually { site.held == 1 })
            if !isSentTogether {
                let before = clock.readings.load(ordering: .sequentiallyConsistent)
                client.send(get("/never"))
                // The loop has been told of it.
                #expect(
                    eventually { clock.readings.load(ordering: .sequentiallyConsistent) > before })
            }
            let sent = Clock.system.wall()
            clock.ahead.store(20_000_000_000, ordering: .sequentiallyConsistent)
            let first = site.board.held.withLock { $0.popLast() }
            try #require(first).respond(Response(status: 200))
            #expect(eventually { site.held == 1 })
            let last = site.board.held.withLock { $0.popLast() }
            let second = try #require(last)
            #expect((begun - 1...sent + 1).contains(second.arrival))
            second.respond(Response(status: 200))
            #expect(client.statuses(2) == [200, 200])
        }
    }
}
