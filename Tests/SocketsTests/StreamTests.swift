import Foundation
import HTTP1
import Sockets
import Synchronization
import TestSupport
import Testing

extension Serving {
    /// Answers that come piece by piece.
    @Suite struct StreamTests {
        private let site = TestSite()

        @Test("a body in pieces from other threads is chunked, and bare in HTTP/1.0")
        func pieces() throws {
            let server = try site.start()
            defer { server.end() }
            let old = try TestClient(server.address)
            old.send("GET /count HTTP/1.0\r\n\r\n")
            #expect(old.end() == .clean)
            let text = String(decoding: old.received, as: UTF8.self)
            #expect(text.hasSuffix("\r\n\r\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"))
            let new = try TestClient(server.address)
            new.send(get("/count") + get("/count") + get("/", "Connection: close\r\n"))
            #expect(new.end() == .clean)
            let answers = String(decoding: new.received, as: UTF8.self)
            let end = "\r\n2\r\n9\n\r\n3\r\n10\n\r\n0\r\n\r\n"
            #expect(answers.split(separator: "\(end)HTTP/1.1 200").count == 3)
            #expect(answers.hasSuffix("Content-Length: 3\r\nConnection: close\r\n\r\n0 0"))
            #expect(eventually { site.sources == 0 })
            #expect(site.cancelled == 0)
        }

        @Test("HEAD of a streamed answer has its header, and cancels it unbegun")
        func head() throws {
            let server = try site.start()
            defer { server.end() }
            let client = try TestClient(server.address)
            client.send("HEAD /stream HTTP/1.1\r\nHost: a\r\n\r\n" + get("/"))
            #expect(client.statuses(2) == [200, 200])
            #expect(client.parsed()[0].header.contains("\r\nTransfer-Encoding: chunked"))
            #expect(site.cancelled == 1 && site.sources == 0)
            #expect(site.board.begun.load(ordering: .relaxed) == 0)
        }

        @Test(
            "an answer whose source breaks is cut off with a reset, not ended",
            arguments: ["1.0", "1.1"])
        func broken(version: String) throws {
            let server = try site.start()
            defer { server.end() }
            let client = try TestClient(server.address)
            client.send("GET /held HTTP/\(version)\r\nHost: a\r\n\r\n" + get("/"))
            var streams = site.takeStreams(1)
            streams.first?.give("one")
            #expect(
                eventually {
                    _ = client.read(1)
                    return String(decoding: client.received, as: UTF8.self).contains("one")
                })
            streams.first?.give("two", .failed)
            #expect(client.end() == .reset)
            let text = String(decoding: client.received, as: UTF8.self)
            #expect(!text.hasSuffix("0\r\n\r\n"))
            #expect(eventually { server.connections == 0 })
            // A source that broke is not told so.
            #expect(site.cancelled == 0)
            streams = []
            #expect(site.sources == 0)
        }

        /// Why an answer that has begun is given up.
        enum Cause: CaseIterable, Sendable { case stop, slowReader }

        @Test(
            "an answer that is given up half way ends with a reset, whatever says how long it is",
            arguments: [
                "GET /stream HTTP/1.0", "GET /big HTTP/1.0", "GET /stream HTTP/1.1",
                "GET /big HTTP/1.1",
            ], Cause.allCases)
        func givenUp(line: String, cause: Cause) throws {
            let server = try site.start {
                if cause == .slowReader { $0.timeouts.write = 200_000_000 }
            }
            defer { server.end() }
            let client = try TestClient(server.address, receiveBuffer: 4096)
            client.send("\(line)\r\nHost: a\r\n\r\n")
            #expect(client.waits(60_000))
            if cause == .stop { server.drain(100_000_000) }
            #expect(eventually { server.connections == 0 })
            #expect(client.end() == .reset)
            #expect(!client.received.isEmpty)
            #expect(eventually { site.sources == 0 })
        }

        @Test("wakes may come from anywhere, in any number, and after the end")
        func wakes() throws {
            let server = try site.start()
            defer { server.end() }
            let clients = try (0..<4).map { _ in try TestClient(server.address) }
            for client in clients { client.send(get("/held")) }
            let sources = site.takeStreams(4)
            DispatchQueue.concurrentPerform(iterations: 400) { sources[$0 % 4].give("\($0 % 10)") }
            for source in sources { source.give("", .end) }
            for client in clients {
                #expect(
                    eventually {
                        _ = client.read(1)
                        return client.received.suffix(5) == Array("0\r\n\r\n".utf8)[...]
                    })
                client.send(get("/"))
            }
            // One that is over must not disturb what comes next on the connection.
            for source in sources { source.give("late", .end) }
            for client in clients {
                #expect(
                    eventually {
                        _ = client.read(1)
                        return client.received.suffix(3) == Array("0 0".utf8)[...]
                    })
                #expect(!String(decoding: client.received, as: UTF8.self).contains("late"))
            }
            #expect(site.cancelled == 0)
        }

        @Test("a streamed answer has no turn to itself: others are served beside it")
        func fairness() throws {
            let server = try site.start(loops: 1)
            defer { server.end() }
            let greedy = try TestClient(server.address)
            greedy.send(get("/stream"))
            let isOver = Atomic<Bool>(false)
            let done = DispatchSemaphore(value: 0)
            nonisolated(unsafe) let reader = greedy
            Thread.detachNewThread {
                var room = [UInt8](repeating: 0, count: 1 << 20)
                while !isOver.load(ordering: .relaxed) {
                    _ = recv(reader.descriptor, &room, room.count, 0)
                }
                done.signal()
            }
            let other = try TestClient(server.address)
            for place in 1...50 {
                other.send(get("/"))
                #expect(other.statuses(place).count == place)
            }
            isOver.store(true, ordering: .relaxed)
            done.wait()
        }
    }
}
