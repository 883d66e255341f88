import Foundation
import HTTP1
import Sockets
import Synchronization
import TestSupport
import Testing

extension Serving {
    /// What there is only so much of: connections, descriptors, memory.
    @Suite struct LimitTests {
        private let site = TestSite()

        @Test(
            "beyond the limit of connections new ones wait until one ends",
            arguments: [1, 2])
        func connectionLimit(loops: Int) throws {
            let server = try site.start(loops: loops, maxConnections: 2)
            defer { server.end() }
            let clients = try (0..<5).map { _ in try TestClient(server.address) }
            for client in clients { client.send(get("/")) }
            #expect(clients[0].statuses(1) == [200])
            #expect(clients[1].statuses(1) == [200])
            for place in 2..<5 {
                #expect(!clients[place].waits(50))
                #expect(server.connections == 2)
                // Let go in turn by a close, a reset and an answer that says so.
                if place == 2 { clients[0].close() }
                if place == 3 { clients[1].reset() }
                if place == 4 { clients[2].send(get("/", "Connection: close\r\n")) }
                #expect(clients[place].statuses(1) == [200])
            }
        }

        @Test("a group that is full leaves the others their connections")
        func groups() throws {
            let other = TestSite()
            let server = try site.start(maxConnections: 2) {
                // Tried for its error, so that the others stay as they are.
                let more = try? other.group("127.0.0.1:0", maxConnections: 1)
                $0.groups += [more, more].compactMap { $0 }
                $0.groups[1].listeners += $0.groups[0].listeners
            }
            defer { server.end() }
            #expect(server.addresses.map(\.count) == [1, 2, 1])
            var clients: [[TestClient]] = []
            for listeners in server.addresses {
                clients.append(
                    try (0..<3).map { try TestClient(listeners[$0 % listeners.count]) })
                for client in clients[clients.count - 1] { client.send(get("/")) }
            }
            for (place, limit) in [2, 1, 1].enumerated() {
                #expect(
                    eventually {
                        server.connections(ofGroup: place) == limit
                            && clients[place].count { $0.waits(0) } == limit
                    })
            }
            #expect(server.connections == 4)
            #expect(site.handled == 2)
            #expect(other.handled == 2)
            // One of the second group's two listeners is served when the other's client goes.
            let served = try #require(clients[1].first { $0.waits(0) })
            served.close()
            #expect(
                eventually { clients[1].count { $0 !== served && $0.waits(0) } == 1 })
            #expect(other.handled == 3)
            #expect(server.connections == 4)
        }

        @Test(
            "without descriptors those who are served still are, and the others wait",
            arguments: [1, 2])
        func descriptors(loops: Int) async {
            await #expect(processExitsWith: .success) { [loops] in
                let site = TestSite()
                let errors = Mutex<[String]>([])
                let server = try site.start(loops: loops) {
                    $0.clock = site.countingClock
                    $0.onAcceptError = { error in
                        errors.withLock { $0.append(error.description) }
                    }
                }
                let served = try TestClient(server.address)
                served.send(get("/"))
                #expect(served.statuses(1) == [200])
                let clients = try (0..<6).map { _ in try TestClient(later: server.address) }
                // Not one is left.
                var limit = rlimit()
                getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                limit.rlim_cur = 64
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                var taken: [Int32] = []
                while case let next = dup(0), next >= 0 { taken.append(next) }
                #expect(errno == EMFILE)
                for client in clients {
                    try client.connect()
                    client.send(get("/"))
                }
                // The one kept back serves one of them.
                #expect(eventually { server.connections == 2 })
                #expect(eventually { errors.withLock { $0.count } == 1 })
                let turns = site.turns
                for place in 2..<32 {
                    served.send(get("/"))
                    #expect(served.statuses(place).count == place)
                    #expect(!clients[5].waits(10))
                }
                #expect(server.connections == 2)
                // A few for each request, ten a second to try again.
                #expect(site.turns - turns < 200)
                // Back they come, one after the other.
                close(taken.removeLast())
                #expect(eventually { server.connections == 3 })
                for descriptor in taken { close(descriptor) }
                for client in clients { #expect(client.statuses(1) == [200]) }
                #expect(server.connections == 7)
                let reports = errors.withLock { $0 }
                #expect(
                    reports == ["cannot accept on \(server.address): too many open files (24)"])
                server.end()
                // Open until here, also where it is optimized.
                withExtendedLifetime((served, clients)) {}
            }
        }

        @Test(
            "ten thousand connections cost less than 4 KiB each, and give it back",
            .disabled(if: Usage.isSanitized, "a sanitizer has memory of its own for each"))
        func memory() async {
            await #expect(processExitsWith: .success) {
                var limit = rlimit()
                getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                limit.rlim_cur = limit.rlim_max
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                // Both ends are of this process.
                let count = min(10_000, (Int(clamping: limit.rlim_max) - 200) / 2)
                let site = TestSite()
                let server = try site.start()
                let halves = [Array(get("/").utf8.dropLast()), [10]]
                var room = [UInt8](repeating: 0, count: 512)
                // Everything is in its place once it has been used.
                let first = try TestClient(server.address)
                first.send(get("/"))
                #expect(first.statuses(1) == [200])
                first.reset()
                #expect(eventually { server.connections == 0 })
                let descriptors = Usage.descriptors
                let start = Usage.resident
                var clients: [TestClient] = []
                clients.reserveCapacity(count)
                var closed: Int?
                for _ in 0..<2 {
                    for _ in 0..<count { clients.append(try TestClient(server.address)) }
                    #expect(eventually { server.connections == count })
                    #expect((Usage.resident - start) / count < 4 << 10)
                    for half in halves {
                        for client in clients {
                            #expect(send(client.descriptor, half, half.count, 0) == half.count)
                        }
                        #expect((Usage.resident - start) / count < 4 << 10)
                    }
                    for client in clients { #expect(recv(client.descriptor, &room, 512, 0) > 0) }
                    #expect((Usage.resident - start) / count < 4 << 10)
                    for client in clients { client.reset() }
                    #expect(eventually { server.connections == 0 })
                    clients.removeAll(keepingCapacity: true)
                    // The second time over nothing is added.
                    if let closed {
                        #expect(eventually { Usage.resident - closed < 2 << 20 })
                    }
                    closed = Usage.resident
                }
                #expect(eventually { Usage.descriptors == descriptors })
                server.drain()
            }
        }
    }
}
