import Foundation
import HTTP1
import Sockets
import Synchronization
import TestSupport
import Testing

extension Serving {
    /// Requests and answers.
    @Suite struct ServerTests {
        private let site = TestSite()

        @Test("a connection is kept, and pipelined requests are answered in order")
        func pipelining() throws {
            let server = try site.start()
            defer { server.end() }
            let client = try TestClient(server.address)
            client.send(post("/", "ab") + get("/later") + post("/later", "c") + get("/"))
            #expect(client.statuses(4) == [200, 200, 200, 200])
            client.send(get("/"))
            #expect(client.bodies(5) == ["2 195", "0 0", "1 99", "0 0", "0 0"])
        }

        @Test(
            "answers reach those who asked, in whatever order and from wherever they are given")
        func order() throws {
            let server = try site.start()
            defer { server.end() }
            // Each pipelines; what is answered by the way is mixed with what is held.
            let clients = try (0..<8).map { _ in try TestClient(server.address) }
            for (place, client) in clients.enumerated() {
                let body = String(repeating: "a", count: place)
                client.send(
                    (0..<20).map { post($0 % 2 == 0 ? "/later" : "/", "\(body)b\($0)") }.joined()
                        + post("/never", body))
            }
            #expect(eventually { site.held == 8 })
            // The last first, each with its place in the list, from many threads.
            let held = site.board.held.withLock { $0 }
            DispatchQueue.concurrentPerform(iterations: 8) { place in
                held[7 - place].respond(Response(status: 200 + 7 - place))
            }
            var statuses: Set<Int> = []
            for (place, client) in clients.enumerated() {
                let expected = (0..<20).map { number in
                    let text = String(repeating: "a", count: place) + "b\(number)"
                    return "\(text.utf8.count) \(text.utf8.reduce(0) { $0 + Int($1) })"
                }
                #expect(client.bodies(21) == expected + [""])
                statuses.formUnion(client.statuses(21).suffix(1))
            }
            #expect(statuses == Set(200..<208))
        }

        @Test(
            "bodies of all sizes arrive as they were sent, declared and chunked",
            arguments: [0, 1, 4095, 65535, 65536, 65537, 300_000, 1 << 20])
        func bodies(size: Int) throws {
            let server = try site.start()
            defer { server.end() }
            let client = try TestClient(server.address)
            let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let expected = "\(size) \(body.reduce(0) { $0 + Int($1) })"
            client.send(
                Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(size)\r\n\r\n".utf8) + body)
            var chunked = Array(
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
            var start = 0
            var step = 1
            while start < size {
                let end = min(size, start + step)
                chunked += Array(String(end - start, radix: 16).utf8) + [13, 10]
                chunked += body[start..<end] + [13, 10]
                start = end
                step = step * 3 % 70_001 + 1
            }
            client.send(chunked + Array("0\r\n\r\n".utf8) + Array(get("/").utf8))
            #expect(client.bodies(3) == [expected, expected, "0 0"])
        }

        @Test("a body that is too large is refused so that the client can read it")
        func tooLarge() throws {
            let server = try site.start()
            defer { server.end() }
            for framing in [
                "Content-Length: 4000000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n3D0900\r\n",
            ] {
                for endsSending in [false, true] {
                    let client = try TestClient(server.address)
                    client.send("POST / HTTP/1.1\r\nHost: a\r\n" + framing)
                    client.send([UInt8](repeating: 0x61, count: 4_000_000))
                    if endsSending { client.endSending() }
                    #expect(client.statuses(1) == [413])
                    #expect(client.end() == .clean)
                }
            }
        }

        @Test(
            "what is unread when both have ended their sending does not cost the client its answer")
        func unreadAtTheEnd() throws {
            let path = FileManager.default.temporaryDirectory.path + "/sojourn-\(UUID().uuidString)"
            let server = try site.start(loops: 1, listen: "unix:\(path)")
            defer { server.end() }
            let blocking = try TestClient(server.address)
            blocking.send(get("/block"))
            #expect(eventually { site.handled == 1 })
            // More than is read in one turn, all there before the first of it is looked at.
            let client = try TestClient(server.address)
            var room: Int32 = 1 << 20
            setsockopt(
                client.descriptor, SOL_SOCKET, SO_SNDBUF, &room,
                socklen_t(MemoryLayout<Int32>.size))
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4000000\r\n\r\n")
            let piece = [UInt8](repeating: 0x61, count: 4096)
            var sent = 0
            while case let count = send(
                client.descriptor, piece, 4096, Int32(MSG_DONTWAIT)),
                count > 0
            {
                sent += count
            }
            #expect(sent > 280_000)
            client.endSending()
            site.board.gate.signal()
            #expect(client.end() == .clean)
            #expect(client.statuses(1) == [413])
        }

        @Test("beyond the budget bodies stay unread until there is room")
        func budget() throws {
            let budget = Budget(limit: 1 << 20)
            let server = try site.start { $0.budget = budget }
            defer { server.end() }
            #expect(budget.reserve(1 << 20))
            let client = try TestClient(server.address)
            client.send(post("/", String(repeating: "x", count: 200_000)))
            #expect(!client.read(100))
            #expect(budget.used < (1 << 20) + 20_000)
            // Small requests are served meanwhile.
            let other = try TestClient(server.address)
            other.send(get("/"))
            #expect(other.statuses(1) == [200])
            budget.release(1 << 20)
            #expect(client.statuses(1) == [200])
            #expect(eventually { budget.used == 0 })
        }

        @Test(
            "only the first answer to a request counts", arguments: ["/twice", "/late-twice"])
        func twice(path: String) throws {
            let server = try site.start()
            defer { server.end() }
            let client = try TestClient(server.address)
            client.send((0..<50).map { post(path, "\($0)") + get("/") }.joined())
            #expect(client.statuses(100) == [Int](repeating: 200, count: 100))
            client.send(get("/never"))
            #expect(eventually { site.held == 1 })
            #expect(!client.waits(20))
        }
    }
}
