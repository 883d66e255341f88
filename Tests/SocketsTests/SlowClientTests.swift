import Foundation
import HTTP1
import Sockets
import Synchronization
import TestSupport
import Testing

extension Serving {
    /// Clients that take their time. Each deadline is for the whole of something.
    @Suite struct SlowClientTests {
        private let site = TestSite()

        /// What is sent at once, and what drips after it for ever.
        private static let drippers: [(start: String, drip: String)] = [
            ("", "G"), ("GET / HTTP/1.1\r\n", "X: "), ("GET / HTTP/1.1\r\nHost: a\r\nX:", "y"),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 90000\r\n\r\n", "z"),
            ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\na\r\n"),
            ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;", "x"),
            (
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: ", "y"
            ),
        ]

        @Test(
            "no drip of octets renews the time for a header or a body",
            arguments: drippers.indices)
        func drips(place: Int) throws {
            let server = try site.start {
                $0.timeouts.header = 100_000_000
                $0.timeouts.body = 100_000_000
            }
            defer { server.end() }
            let client = try TestClient(server.address)
            let (start, drip) = Self.drippers[place]
            client.send(start)
            let begun = ContinuousClock.now
            let octets = Array(drip.utf8)
            var sent = 0
            // The wait for an answer is the pause between two octets.
            while !client.waits(5), begun.duration(to: .now) < Patience.most {
                client.send([octets[sent % octets.count]])
                sent += 1
            }
            #expect(begun.duration(to: .now) > .milliseconds(90))
            #expect(begun.duration(to: .now) < Patience.prompt)
            #expect(client.statuses(1) == [408])
            #expect(client.readToEnd())
            #expect(site.handled == 0)
        }

        @Test("who says nothing is closed without a word, also after an answer")
        func idle() throws {
            let server = try site.start { $0.timeouts.idle = 1_000_000_000 }
            defer { server.end() }
            let silent = try TestClient(server.address)
            let served = try TestClient(server.address)
            let awaiting = try TestClient(server.address)
            served.send(get("/"))
            awaiting.send(get("/never"))
            #expect(silent.end() == .clean && silent.received.isEmpty)
            #expect(served.end() == .clean && served.statuses(1) == [200])
            // The time in which an answer is made is not idle.
            #expect(!awaiting.waits(0) && site.held == 1)
        }

        @Test("a client that does not read costs one answer, and is cut off")
        func unreadAnswer() throws {
            let server = try site.start { $0.timeouts.write = 200_000_000 }
            defer { server.end() }
            let client = try TestClient(server.address, receiveBuffer: 4096)
            client.send(String(repeating: get("/big"), count: 100))
            let begun = ContinuousClock.now
            #expect(eventually { server.connections == 1 })
            #expect(eventually { server.connections == 0 })
            #expect(begun.duration(to: .now) > .milliseconds(180))
            #expect(site.handled == 1)
        }

        @Test("a streamed answer may take as long as each 64 KiB of it are read in time")
        func unreadStream() throws {
            let server = try site.start { $0.timeouts.write = 1_500_000_000 }
            defer { server.end() }
            let client = try TestClient(server.address, receiveBuffer: 65536)
            client.send(get("/stream"))
            // Twice the time that one answer has, at a pace far below the server's.
            let begun = ContinuousClock.now
            while begun.duration(to: .now) < .milliseconds(3300), client.read() { usleep(200) }
            #expect(site.cancelled == 0)
            #expect(client.received.count > 8 << 20)
            let read = client.received.count
            #expect(eventually { site.cancelled == 1 })
            #expect(eventually { server.connections == 0 && site.sources == 0 })
            // What the kernel holds, and one buffer of ours.
            #expect(site.board.pulled.load(ordering: .relaxed) - read < 16 << 20)
        }
    }
}
