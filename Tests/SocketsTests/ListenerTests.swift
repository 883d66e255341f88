import Foundation
import Glibc
import HTTP1
import Sockets
import TestSupport
import Testing

extension Serving {
    /// The kinds of listeners, and what they find and leave.
    @Suite struct ListenerTests {
        private let site = TestSite()
        private let path =
            FileManager.default.temporaryDirectory.path + "/sojourn-\(UUID().uuidString)"

        /// A socket that is bound to `path`; it listens if `backlog` is given.
        private func bound(_ backlog: Int32? = nil) -> Int32 {
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var target = TestClient.unix(path)
            #expect(TestClient.with(&target) { bind(descriptor, $0, $1) } == 0)
            if let backlog { #expect(listen(descriptor, backlog) == 0) }
            return descriptor
        }

        private func expectServed(_ address: String) throws {
            let client = try TestClient(address)
            client.send(get("/"))
            #expect(client.statuses(1) == [200])
        }

        @Test("IPv6 is served like IPv4, and apart from it")
        func version6() throws {
            // A port that is free in IPv6 may be some client's in IPv4: then the next one.
            for attempt in 1...50 {
                let server = try site.start(listen: "[::]:0")
                defer { server.end() }
                let port = try #require(server.address.split(separator: ":").last)
                #expect(server.address == "[::]:\(port)")
                try expectServed("[::1]:\(port)")
                let other: Server
                do {
                    other = try site.start(listen: "0.0.0.0:\(port)")
                } catch let error as SocketError where error.number == EADDRINUSE && attempt < 50 {
                    continue
                }
                try expectServed("127.0.0.1:\(port)")
                other.end()
                #expect(throws: POSIXError(.ECONNREFUSED)) {
                    try TestClient("127.0.0.1:\(port)")
                }
                try expectServed("[::1]:\(port)")
                return
            }
        }

        @Test(
            "a local socket replaces a stale one, has its mode, and is removed at the end",
            arguments: [0o666, 0o600] as [UInt32])
        func localSocket(mode: UInt32) throws {
            // Bound and closed: what a crash leaves.
            close(bound(1))
            let server = try site.start(listen: "unix:\(path)") {
                $0.groups[0].unixMode = mode
            }
            defer { server.end() }
            #expect(server.addresses == [["unix:\(path)"]])
            try expectServed("unix:\(path)")
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? UInt32 == mode)
            server.drain()
            #expect(!FileManager.default.fileExists(atPath: path))
        }

        @Test("a local socket that is served is left alone")
        func liveSocket() throws {
            let server = try site.start(listen: "unix:\(path)")
            let error = #expect(throws: SocketError.self) {
                try site.start(listen: "unix:\(path)")
            }
            #expect(error?.number == EADDRINUSE)
            try expectServed("unix:\(path)")
            server.end()
        }

        @Test("a local socket that is served, but too busy to accept, is left alone")
        func busySocket() throws {
            let live = bound(0)
            defer { close(live) }
            // Its backlog is full.
            let clients = (0..<3).map { _ in socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) }
            var target = TestClient.unix(path)
            for client in clients {
                _ = fcntl(client, F_SETFL, fcntl(client, F_GETFL) | O_NONBLOCK)
                _ = TestClient.with(&target) { connect(client, $0, $1) }
            }
            #expect(throws: SocketError.self) { try site.start(listen: "unix:\(path)") }
            #expect(FileManager.default.fileExists(atPath: path))
            for client in clients { close(client) }
            unlink(path)
        }

        @Test("a file or a link in a local socket's place is never removed")
        func otherFile() throws {
            for makesLink in [false, true] {
                if makesLink {
                    try FileManager.default.createSymbolicLink(
                        atPath: path, withDestinationPath: "/nowhere")
                } else {
                    try Data([1]).write(to: URL(fileURLWithPath: path))
                }
                let error = #expect(throws: SocketError.self) {
                    try site.start(listen: "unix:\(path)")
                }
                #expect(error?.number == EEXIST)
                var status = stat()
                #expect(lstat(path, &status) == 0)
                unlink(path)
            }
        }

        @Test("a local socket that took this one's place is not removed at the end")
        func successor() throws {
            let server = try site.start(listen: "unix:\(path)")
            // Not with unlink: the number of the file might be used again.
            #expect(rename(path, path + ".old") == 0)
            let next = bound(1)
            server.drain()
            #expect(FileManager.default.fileExists(atPath: path))
            close(next)
            unlink(path)
            unlink(path + ".old")
        }

        @Test("a listener that was handed over is served, and stays with whoever has it too")
        func inherited() async {
            await #expect(processExitsWith: .success) {
                let site = TestSite()
                let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
                var target = sockaddr_in()
                target.sin_family = sa_family_t(AF_INET)
                target.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
                #expect(TestClient.with(&target) { bind(listener, $0, $1) } == 0)
                #expect(listen(listener, 200) == 0)
                let given = dup(listener)
                let server = try site.start(loops: 1, listen: "127.0.0.1:0") {
                    $0.groups[0].listeners = [.inherited(descriptor: given)]
                    $0.clock = site.countingClock
                }
                #expect(fcntl(given, F_GETFD) & FD_CLOEXEC != 0)
                let awaiting = try TestClient(server.address)
                awaiting.send(get("/never"))
                #expect(eventually { site.held == 1 })
                let blocking = try TestClient(server.address)
                blocking.send(get("/block"))
                #expect(eventually { site.handled == 2 })
                // More than are accepted in one turn.
                let others = try (0..<100).map { _ in try TestClient(server.address) }
                for client in others { client.send(get("/")) }
                server.stopAccepting()
                site.board.gate.signal()
                #expect(eventually { fcntl(given, F_GETFD) < 0 })
                // Others still come, and the loop has nothing to do with them.
                let next = try TestClient(server.address)
                next.send(get("/"))
                #expect(eventually { server.connections == 1 })
                let turns = site.turns
                #expect(!next.waits(200))
                #expect(site.turns - turns < 20)
                site.board.held.withLock { $0[0].respond(Response(status: 200)) }
                #expect(awaiting.end() == .clean && awaiting.statuses(1) == [200])
                server.drain()
                // They are the successor's.
                let after = TestSite()
                let successor = try after.start(listen: "127.0.0.1:0") {
                    $0.groups[0].listeners = [.inherited(descriptor: listener)]
                }
                #expect(next.statuses(1) == [200])
                for client in others { #expect(client.statuses(1) == [200]) }
                #expect(after.handled > 1)
                successor.end()
            }
        }

        @Test("what was handed over and does not listen is reported, not turned upon")
        func notListening() async {
            await #expect(processExitsWith: .success) {
                let site = TestSite()
                let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
                let server = try site.start {
                    $0.groups[0].listeners.append(.inherited(descriptor: socket))
                    $0.clock = site.countingClock
                }
                let client = try TestClient(server.addresses[0][0])
                for place in 1...10 {
                    client.send(get("/"))
                    #expect(client.statuses(place).count == place)
                    #expect(!client.waits(20))
                }
                #expect(site.turns < 200)
                server.end()
            }
        }

        @Test("an address in use is an error that names it, and leaves nothing open")
        func addressInUse() async {
            await #expect(processExitsWith: .success) {
                let site = TestSite()
                let server = try site.start()
                // Everything is in its place once it has been used.
                let client = try TestClient(server.address)
                client.send(get("/"))
                #expect(client.statuses(1) == [200])
                let before = Usage.descriptors
                let error = #expect(throws: SocketError.self) {
                    try site.start(listen: server.address)
                }
                #expect(error?.number == EADDRINUSE)
                #expect(
                    error?.description.hasPrefix("cannot listen on \(server.address): address")
                        == true)
                #expect(eventually { Usage.descriptors == before })
                server.end()
            }
        }
    }
}
