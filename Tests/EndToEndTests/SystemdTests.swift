import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

/// docs/operation.md, systemd: what the service tells it and is handed by it.
@Suite("under systemd", .serialized)
struct SystemdTests {
    @Test("the manager hears that it is ready, lives, reloads and stops")
    func notifications() throws {
        let receiver = try NotifyReceiver(isAbstract: true)
        let server = try TestServer()
        try server.start(environment: ["NOTIFY_SOCKET": receiver.name, "WATCHDOG_USEC": "400000"])
        let address = "127.0.0.1:\(server.port)"
        #expect(receiver.next() == "READY=1\nSTATUS=listening on \(address)")
        for _ in 1...3 { #expect(receiver.next() == "WATCHDOG=1") }
        let before = DispatchTime.now().uptimeNanoseconds / 1000
        server.signal(SIGHUP)
        let reloading = try #require(next(receiver))
        let after = DispatchTime.now().uptimeNanoseconds / 1000
        let moment = try #require(
            UInt64(reloading.replacingOccurrences(of: "RELOADING=1\nMONOTONIC_USEC=", with: "")))
        #expect(before <= moment && moment <= after)
        #expect(next(receiver) == "READY=1")
        // A batch in between is no reason to be silent.
        #expect(server.post(batch("b-1"), on: try server.connect()) == 200)
        #expect(receiver.next() == "WATCHDOG=1")
        #expect(server.kill(SIGTERM) == 0)
        #expect(next(receiver) == "STOPPING=1\nSTATUS=stopping: SIGTERM")
        #expect(receiver.isEmpty)
    }

    /// The next message that is no sign of life.
    private func next(_ receiver: NotifyReceiver) -> String? {
        while let message = receiver.next() {
            if message != "WATCHDOG=1" { return message }
        }
        return nil
    }

    @Test("restarts on a listener that is handed over refuse no connection and lose no batch")
    func restarts() throws {
        let listener = try HeldListener()
        let site = try TestServer()
        let seen = Mutex((answered: Set<String>(), refused: 0, isOver: false))
        let clients = DispatchGroup()
        var server = try serve(site, listener)
        for client in 0..<6 {
            DispatchQueue(label: "client.\(client)").async(group: clients) {
                // A connection for each batch: every one of them could be refused.
                for number in 0... {
                    if seen.withLock(\.isOver) { return }
                    guard let connection = try? TestConnection(port: listener.port) else {
                        seen.withLock { $0.refused += 1 }
                        return
                    }
                    let id = "c\(client)-\(number)"
                    let status = site.post(batch(id, device: "phone-\(client)"), on: connection)
                    if status == 200 { seen.withLock { _ = $0.answered.insert(id) } }
                }
            }
        }
        for round in 1...4 {
            #expect(
                eventually { seen.withLock { $0.answered.count >= round * 40 || $0.refused > 0 } })
            #expect(server.end(SIGTERM) == 0)
            server = try serve(site, listener)
        }
        #expect(eventually { seen.withLock { $0.answered.count >= 200 || $0.refused > 0 } })
        seen.withLock { $0.isOver = true }
        clients.wait()
        #expect(server.end(SIGTERM) == 0)
        let (answered, refused, _) = seen.withLock { $0 }
        #expect(refused == 0, "connections were refused")
        try site.start()
        let stored = Set(try site.storedEvents().map { String($0.split(separator: "/")[0]) })
        #expect(answered.subtracting(stored).isEmpty, "batches are lost")
        #expect(site.kill(SIGTERM) == 0)
    }

    private func serve(_ site: TestServer, _ listener: HeldListener) throws -> ActivatedServer {
        try ActivatedServer(
            site.data, ["--listen", "127.0.0.1:\(listener.port)", "--admin-listen", "off"],
            listeners: [listener], names: ["sojourn.socket"])
    }

    @Test("a name takes a listener to its setting, and what it replaces is said")
    func names() throws {
        let (devices, admin) = (try HeldListener(), try HeldListener())
        let site = try TestServer()
        let server = try ActivatedServer(
            site.data, ["--listen", "127.0.0.1:1", "--admin-listen", "off"],
            listeners: [admin, devices], names: ["admin-listen", "listen"])
        let get = { (path: String) in "GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n" }
        #expect(try TestConnection(port: admin.port).exchange(get("/metrics"))?.status == 200)
        #expect(try TestConnection(port: devices.port).exchange(get("/metrics"))?.status == 404)
        #expect(site.post(batch("b-1"), on: try TestConnection(port: devices.port)) == 200)
        #expect(server.errors.contains("listening on 127.0.0.1:\(admin.port)"))
        #expect(server.errors.contains("warning not listening on 127.0.0.1:1"))
        #expect(server.end(SIGTERM) == 0)
    }

    @Test("a listener that belongs to no setting is 78, in one line that names its address")
    func stranger() throws {
        let listener = try HeldListener()
        let site = try TestServer()
        let server = try ActivatedServer(
            site.data, ["--listen", "127.0.0.1:0", "--admin-listen", "off"],
            listeners: [listener], names: ["sojourn.socket"])
        #expect(server.wait() == 78)
        #expect(server.errors.split(separator: "\n").count == 1)
        #expect(server.errors.contains("127.0.0.1:\(listener.port)"))
    }
}
