import Foundation
import HTTP1
import Sockets
import TestSupport
import Testing

extension Serving {
    /// Requests that do not end fill their half of the budget (docs/operation.md, `max-buffered-bytes`).
    @Suite struct RoomTests {
        private let site = TestSite()

        /// A head that announces a body, and so much of that.
        private static func part(_ octets: Int, of length: Int) -> [UInt8] {
            Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n".utf8)
                + [UInt8](repeating: 0x78, count: octets)
        }

        /// Sends it and waits until the server holds it.
        private func hold(
            _ octets: Int, of length: Int, at server: Server, _ budget: Budget
        ) throws -> TestClient {
            let before = budget.heldByComing
            let client = try TestClient(server.address)
            client.send(Self.part(octets, of: length))
            #expect(eventually { budget.heldByComing >= before + octets })
            return client
        }

        @Test(
            "those that have been coming longest end, on every loop, and the others are served",
            arguments: [1, 2, 3])
        func eldest(loops: Int) throws {
            let budget = Budget(limit: 2 << 20)
            let server = try site.start(loops: loops) { $0.budget = budget }
            defer { server.end() }
            let clients = try (0..<8).map { _ in
                try hold(100_000, of: 130_000, at: server, budget)
            }
            #expect(!budget.isCrowded && clients.allSatisfy { !$0.waits(0) })
            // Nine of 130 thousand octets are more than half of the budget.
            for client in clients { client.send([UInt8](repeating: 0x78, count: 29_999)) }
            let other = try TestClient(server.address)
            other.send(Self.part(129_999, of: 130_000))
            #expect(clients[0].statuses(1) == [408])
            #expect(clients[0].readToEnd())
            #expect(eventually { !budget.isCrowded })
            #expect(clients[1...].allSatisfy { !$0.waits(0) } && !other.waits(0))
            // And one more each time.
            var kept: [TestClient] = []
            for place in 1..<4 {
                let more = try TestClient(server.address)
                more.send(Self.part(130_000, of: 130_001))
                #expect(clients[place].statuses(1) == [408])
                #expect(eventually { !budget.isCrowded })
                more.send([0x78])
                #expect(more.statuses(1) == [200])
                #expect(clients[(place + 1)...].allSatisfy { !$0.waits(0) })
                kept.append(try hold(130_000, of: 130_001, at: server, budget))
            }
            #expect(kept.allSatisfy { !$0.waits(0) })
            other.send([0x78])
            #expect(other.statuses(1) == [200])
            #expect(other.bodies(1) == ["130000 \(130_000 * 0x78)"])
        }

        @Test("who holds more than 64 KiB makes room first, and then the others, heads too")
        func large() throws {
            let budget = Budget(limit: 512 << 10)
            let server = try site.start { $0.budget = budget }
            defer { server.end() }
            let small = try hold(60_000, of: 60_001, at: server, budget)
            let head = try TestClient(server.address)
            head.send("GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "y", count: 10_000))
            #expect(eventually { budget.heldByComing > 70_000 })
            let large = try hold(75_000, of: 75_001, at: server, budget)
            let next = try hold(60_000, of: 60_001, at: server, budget)
            func begin() throws -> TestClient {
                let client = try TestClient(server.address)
                client.send(Self.part(60_000, of: 60_001))
                return client
            }
            // It is not the eldest, but those that are hold little.
            var rest = [try begin()]
            #expect(large.statuses(1) == [408])
            #expect(eventually { !budget.isCrowded })
            #expect(!small.waits(0) && !head.waits(0) && !next.waits(0))
            // Now all hold little.
            rest += [try begin(), try begin()]
            #expect(small.statuses(1) == [408])
            #expect(eventually { !budget.isCrowded })
            #expect(!head.waits(0) && !next.waits(0) && rest.allSatisfy { !$0.waits(0) })
            let last = try begin()
            #expect(head.statuses(1) == [408])
            #expect(next.statuses(1) == [408])
            #expect(rest.allSatisfy { !$0.waits(0) })
            last.send([0x78])
            #expect(last.statuses(1) == [200])
        }

        @Test("what was sent behind a request that is being handled makes room too")
        func pipelined() throws {
            let budget = Budget(limit: 128 << 10)
            let server = try site.start { $0.budget = budget }
            defer { server.end() }
            let client = try TestClient(server.address)
            client.send(
                get("/never") + "GET / HTTP/1.1\r\nX: " + String(repeating: "y", count: 9000))
            #expect(eventually { budget.heldByComing > 9000 && site.held == 1 })
            let others = [
                try hold(32_000, of: 32_001, at: server, budget), try TestClient(server.address),
            ]
            others[1].send(Self.part(32_000, of: 32_001))
            #expect(eventually { (64_000..<66_000).contains(budget.heldByComing) })
            #expect(others.allSatisfy { !$0.waits(0) })
            let held = try #require(site.board.held.withLock { $0.first })
            held.respond(Response(status: 200))
            #expect(client.statuses(2) == [200, 408])
            #expect(client.readToEnd())
        }

        @Test(
            "what was sent behind a head whose answer is stuck makes room too",
            arguments: [
                "GET /early-big HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nX: ",
                "POST /early-big HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n",
            ])
        func stuck(part: String) throws {
            let budget = Budget(limit: 128 << 10)
            let server = try site.start { $0.budget = budget }
            defer { server.end() }
            let client = try TestClient(server.address)
            client.send(part + String(repeating: "y", count: 9000))
            #expect(eventually { budget.heldByComing > 9000 })
            let others = [
                try hold(32_000, of: 32_001, at: server, budget), try TestClient(server.address),
            ]
            others[1].send(Self.part(32_000, of: 32_001))
            #expect(eventually { (64_000..<66_000).contains(budget.heldByComing) })
            #expect(others.allSatisfy { !$0.waits(0) })
            #expect(client.statuses(2) == [404, 408])
            #expect(client.readToEnd())
            others[1].send([0x78])
            #expect(others[1].statuses(1) == [200])
        }

        @Test("bodies that whole ones leave no room for stay unread and make nobody end")
        func whole() throws {
            let budget = Budget(limit: 1 << 20)
            let server = try site.start { $0.budget = budget }
            defer { server.end() }
            let client = try hold(100_000, of: 200_000, at: server, budget)
            #expect(budget.reserve((1 << 20) - budget.heldByComing))
            client.send([UInt8](repeating: 0x78, count: 100_000))
            #expect(!client.waits(50))
            budget.release(512 << 10)
            #expect(client.statuses(1) == [200])
        }

        @Test("memory is counted by capacity, and given back")
        func counted() throws {
            let budget = Budget(limit: 1 << 20)
            let server = try site.start { $0.budget = budget }
            defer { server.end() }
            let client = try hold(70_000, of: 300_000, at: server, budget)
            client.send([UInt8](repeating: 0x78, count: 10_000))
            // Doubled, since what is announced is more.
            #expect(eventually { budget.heldByComing > 130_000 })
            client.close()
            #expect(eventually { budget.used == 0 })
        }

        @Test(
            "a body that nobody needs is not held",
            arguments: ["Content-Length: 900000", "Transfer-Encoding: chunked"])
        func unneeded(framing: String) throws {
            let budget = Budget(limit: 4 << 20)
            let server = try site.start { $0.budget = budget }
            defer { server.end() }
            let client = try TestClient(server.address)
            client.send(
                "POST /never-body HTTP/1.1\r\nHost: a\r\n\(framing)\r\n\r\n1000\r\n"
                    + String(repeating: "x", count: 60_000))
            #expect(eventually { site.held == 1 })
            for _ in 0..<20 { client.send([UInt8](repeating: 0x78, count: 1000)) }
            #expect(budget.used == 0)
            let held = try #require(site.board.held.withLock { $0.first })
            held.respond(Response(status: 200))
            #expect(client.statuses(1) == [200])
            #expect(client.readToEnd())
        }
    }
}
