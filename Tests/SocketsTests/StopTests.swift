import Foundation
import HTTP1
import Sockets
import Synchronization
import TestSupport
import Testing

extension Serving {
    /// `stopAccepting` and `drain`, whatever the connections are at.
    @Suite struct StopTests {
        private let site = TestSite()

        /// What a connection may be at, and what the client sees of the stop.
        enum State: CaseIterable, Sendable {
            case fresh, served, head, whole, body, chunked, trailer, awaiting, pipelined, writing
            case streaming, lingering, halfClosed

            /// What the client has sent.
            var sent: String {
                switch self {
                case .fresh: ""
                case .served, .whole: get("/")
                case .head: get("/").dropLast() + ""
                case .body: post("/", "abc").dropLast() + ""
                case .chunked:
                    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\na"
                case .trailer:
                    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: y"
                case .awaiting, .halfClosed: get("/never")
                case .pipelined: get("/never") + get("/")
                case .writing: get("/big")
                case .streaming: get("/held")
                case .lingering: "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000\r\n\r\n"
                }
            }

            /// The statuses it gets in all.
            var statuses: [Int] {
                switch self {
                case .fresh: []
                case .head, .body, .chunked, .trailer: [503]
                // What came behind is not taken.
                case .served, .whole, .awaiting, .pipelined, .writing, .streaming, .halfClosed:
                    [200]
                case .lingering: [413]
                }
            }
        }

        @Test(
            "a stop finishes what is whole, refuses what is not and ends what is idle",
            arguments: State.allCases)
        func stop(state: State) throws {
            let server = try site.start {
                $0.timeouts.linger = 60_000_000_000
                $0.timeouts.lastLinger = 60_000_000_000
            }
            let client = try TestClient(
                server.address, receiveBuffer: state == .writing ? 4096 : nil)
            client.send(state.sent)
            if state == .halfClosed { client.endSending() }
            // The server is where it should be.
            var source: HeldSource?
            switch state {
            case .awaiting, .pipelined, .halfClosed: #expect(eventually { site.held == 1 })
            case .served, .lingering: #expect(client.statuses(1) == state.statuses)
            case .writing: #expect(client.waits(5000))
            case .streaming:
                source = site.takeStreams(1).first
                source?.give("one")
                #expect(client.waits(5000))
            default: #expect(eventually { server.connections == 1 })
            }
            let before = site.handled
            server.stopAccepting()
            #expect(eventually { (try? TestClient(server.address)) == nil })
            if site.held == 1 {
                site.board.held.withLock { $0[0].respond(Response(status: 200)) }
            }
            source?.give("two", .end)
            #expect(client.end() == .clean)
            #expect(
                client.parsed().map(\.status).prefix(state.statuses.count) == state.statuses[...])
            switch state {
            case .fresh: #expect(client.received.isEmpty)
            // It has or may have had its answer before.
            case .served, .whole, .writing, .streaming: break
            default: #expect(client.parsed()[0].header.hasSuffix("\r\nConnection: close"))
            }
            if state == .streaming {
                #expect(client.received.suffix(10) == Array("two\r\n0\r\n\r\n".utf8)[...])
            } else if state == .writing {
                #expect(client.parsed()[0].body.count == 8_000_000)
            } else {
                #expect(client.statuses(2) == state.statuses)
            }
            #expect(state == .whole || site.handled == before)
            // Who was refused in the middle of a request is listened to for a while. No other has
            // to hang up for the server to be done.
            if state.statuses.contains(where: { $0 >= 400 }) { client.close() }
            let begun = ContinuousClock.now
            server.drain()
            #expect(begun.duration(to: .now) < Patience.prompt)
            #expect(server.connections == 0)
        }

        @Test("a drain that takes too long closes what is left, at whatever it is")
        func deadline() throws {
            let server = try site.start()
            let clients = try State.allCases.map { state in
                let client = try TestClient(server.address, receiveBuffer: 4096)
                client.send(state.sent)
                return client
            }
            #expect(eventually { site.held == 3 && server.connections == clients.count })
            let source = site.takeStreams(1)
            let begun = ContinuousClock.now
            server.drain(100_000_000)
            #expect(begun.duration(to: .now) < Patience.prompt)
            #expect(server.connections == 0)
            #expect(site.departures == 3 && site.cancelled == source.count)
            for client in clients { #expect(client.readToEnd()) }
            // The loops are gone: no trap, no effect, and nothing kept.
            let late = HeldSource(site.board)
            site.board.held.withLock { held in
                for exchange in held { exchange.respond(Response(status: 200, stream: late)) }
            }
            source.first?.give("late")
            #expect(site.cancelled == source.count + 3)
        }

        @Test(
            "who has connected before a stop is not reset by it",
            arguments: [1, 2])
        func backlog(loops: Int) throws {
            let server = try site.start(loops: loops)
            // Keeps the loop that accepts from doing so meanwhile.
            let blocking = try TestClient(server.address)
            blocking.send(get("/block"))
            #expect(eventually { site.handled == 1 })
            let clients = try (0..<300).map { _ in try TestClient(server.address) }
            for client in clients { client.send(get("/")) }
            server.stopAccepting()
            site.board.gate.signal()
            for client in clients {
                #expect(client.statuses(1) == [200])
                #expect(client.end() == .clean)
            }
            #expect(blocking.end() == .clean && blocking.statuses(1) == [200])
            server.drain()
        }

        @Test("after a drain every descriptor is back")
        func descriptors() async {
            await #expect(processExitsWith: .success) {
                let site = TestSite()
                let before = Usage.descriptors
                for drain in [5_000_000_000, 0] as [Int64] {
                    let server = try site.start(loops: 3) {
                        $0.timeouts.linger = 100_000_000
                    }
                    var clients: [TestClient] = []
                    for place in 0..<30 {
                        let client = try TestClient(server.address)
                        client.send(place % 2 == 0 ? get("/") : get("/").dropLast() + "")
                        clients.append(client)
                    }
                    #expect(eventually { server.connections == 30 })
                    server.drain(drain)
                    #expect(server.connections == 0)
                    for client in clients { client.close() }
                    #expect(eventually { Usage.descriptors == before })
                }
            }
        }
    }
}
