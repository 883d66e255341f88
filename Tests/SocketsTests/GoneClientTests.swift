import Foundation
import HTTP1
import Sockets
import Synchronization
import TestSupport
import Testing

extension Serving {
    /// Clients that go before they have their answer.
    @Suite struct GoneClientTests {
        private let site = TestSite()

        @Test("many connections, opened and reset, leave nothing behind")
        func resets() async {
            await #expect(processExitsWith: .success) {
                let site = TestSite()
                let before = Usage.descriptors
                let server = try site.start()
                for place in 0..<1000 {
                    let client = try TestClient(server.address)
                    switch place % 5 {
                    case 1: client.send(post("/", "ab").dropLast() + "")
                    case 2: client.send(get("/later"))
                    case 3: client.send(get("/stream"))
                    case 4: client.send(get("/never"))
                    default: break
                    }
                    client.reset()
                }
                #expect(eventually { server.connections == 0 })
                #expect(site.sources == 0)
                #expect(site.departures == site.held)
                let client = try TestClient(server.address)
                client.send(get("/"))
                #expect(client.statuses(1) == [200])
                client.close()
                server.drain()
                #expect(eventually { Usage.descriptors == before })
            }
        }

        @Test("a reset is noticed while an answer is made, of which nothing is kept")
        func resetMeanwhile() throws {
            let server = try site.start()
            defer { server.end() }
            let client = try TestClient(server.address)
            client.send(get("/never"))
            #expect(eventually { site.held == 1 })
            client.reset()
            #expect(eventually { site.departures == 1 && server.connections == 0 })
            // The last that the loop hears, for a long time.
            site.board.held.withLock { held in
                held[0].respond(Response(status: 200, stream: HeldSource(site.board)))
            }
            #expect(eventually { site.cancelled == 1 && site.sources == 0 })
        }

        @Test("an answer for a client that has gone is dropped, and its departure is told")
        func departures() throws {
            let server = try site.start()
            defer { server.end() }
            let client = try TestClient(server.address)
            client.send(get("/never"))
            #expect(eventually { site.held == 1 })
            client.reset()
            #expect(eventually { site.departures == 1 && server.connections == 0 })
            // The next tenant of the place must not see it.
            let next = try TestClient(server.address)
            next.send(get("/never"))
            #expect(eventually { site.held == 2 })
            site.board.held.withLock { held in
                held[0].respond(Response(status: 500, stream: HeldSource(site.board)))
                held[1].respond(Response(status: 201))
                held[1].respond(Response(status: 500, stream: HeldSource(site.board)))
            }
            #expect(next.statuses(1) == [201])
            next.send(get("/"))
            #expect(next.statuses(2) == [201, 200])
            #expect(site.departures == 1)
            // Nobody will ask these for anything.
            #expect(eventually { site.cancelled == 2 && site.sources == 0 })
        }

        @Test(
            "a client that has ended its sending gets its answers, then the end",
            arguments: ["/", "/later", "/never", "/held", "/big"])
        func halfClosed(path: String) throws {
            let server = try site.start()
            defer { server.end() }
            let client = try TestClient(server.address)
            client.send(get("/") + get(path))
            client.endSending()
            if path == "/never" {
                #expect(eventually { site.held == 1 })
                site.board.held.withLock { $0[0].respond(Response(status: 200)) }
            }
            if path == "/held" {
                site.takeStreams(1).first?.give("one", .end)
            }
            #expect(client.end() == .clean)
            // Behind the header of a streamed answer come its chunks.
            #expect(client.parsed().map(\.status).prefix(2) == [200, 200])
            #expect(site.departures == 0 && site.cancelled == 0)
            #expect(eventually { server.connections == 0 })
        }

        @Test("a client that closed while its answer is awaited is found out")
        func closedMeanwhile() throws {
            let server = try site.start { $0.timeouts.presence = 10_000_000 }
            defer { server.end() }
            let client = try TestClient(server.address)
            client.send(get("/never"))
            #expect(eventually { site.held == 1 })
            client.close()
            #expect(eventually { site.departures == 1 && server.connections == 0 })
        }

        @Test("one that ended its sending and reads on is asked, and gets its answer")
        func asked() throws {
            let server = try site.start { $0.timeouts.presence = 10_000_000 }
            defer { server.end() }
            let client = try TestClient(server.address)
            client.send(get("/never"))
            client.endSending()
            #expect(client.read())
            site.board.held.withLock { $0[0].respond(Response(status: 200)) }
            #expect(client.end() == .clean)
            let statuses = client.parsed().map(\.status)
            #expect(statuses.last == 200)
            #expect(statuses.dropLast().allSatisfy { $0 == 100 } && statuses.count > 1)
            #expect(site.departures == 0)
        }

        @Test(
            "a streamed answer ends with its reader's going",
            arguments: [true, false])
        func goneReader(isReset: Bool) throws {
            let server = try site.start()
            defer { server.end() }
            let clients = try (0..<20).map { _ in try TestClient(server.address) }
            for client in clients { client.send(get("/stream")) }
            for client in clients { #expect(client.read()) }
            let begun = ContinuousClock.now
            for client in clients { isReset ? client.reset() : client.close() }
            #expect(eventually { site.cancelled == 20 && site.sources == 0 })
            #expect(eventually { server.connections == 0 })
            #expect(begun.duration(to: .now) < Patience.prompt)
        }

        @Test("a reader that went quietly is found out by the next piece")
        func quietlyGone() throws {
            let server = try site.start()
            defer { server.end() }
            let client = try TestClient(server.address)
            client.send(get("/held"))
            var streams = site.takeStreams(1)
            streams.first?.give("one")
            #expect(client.read())
            client.close()
            let begun = ContinuousClock.now
            #expect(
                eventually {
                    streams.first?.give("more")
                    return site.cancelled == 1
                })
            #expect(begun.duration(to: .now) < Patience.prompt)
            streams = []
            #expect(eventually { server.connections == 0 && site.sources == 0 })
        }

        @Test("a client that left while its answer was made is let go with the answer")
        func closedBeforeAnswer() throws {
            let server = try site.start()
            defer { server.end() }
            let client = try TestClient(server.address)
            client.send(get("/never"))
            #expect(eventually { site.held == 1 })
            client.close()
            site.board.held.withLock { $0[0].respond(Response(status: 200)) }
            #expect(eventually { server.connections == 0 })
        }
    }
}
