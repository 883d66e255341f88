import Foundation
import TestSupport
import Testing

/// docs/operation.md, Logs and Life of the process: what others leave undone, and what ends half way.
@Suite("who stands still", .serialized)
struct StandstillTests {
    @Test("a log that nobody reads holds up neither batches nor the end of the process")
    func unreadLog() throws {
        let server = try TestServer()
        let process = Process()
        process.executableURL = BuiltProgram.url
        process.arguments = [
            "serve", "--data", server.data, "--listen", "127.0.0.1:0", "--admin-listen", "off",
            "--log-level", "debug",
        ]
        process.environment = BuiltProgram.environment
        let pipe = Pipe()
        process.standardError = pipe
        try process.run()
        // One that stands still does not end by SIGTERM.
        defer { kill(process.processIdentifier, SIGKILL) }
        var log = ""
        while !log.contains("listening on") || !log.hasSuffix("\n") {
            let piece = pipe.fileHandleForReading.availableData
            if piece.isEmpty { break }
            log += String(decoding: piece, as: UTF8.self)
        }
        let line = log.firstMatch(of: /listening on 127\.0\.0\.1:([0-9]+)/)
        let port = try #require(line.flatMap { UInt16($0.output.1) })
        let connection = try TestConnection(port: port)
        // Some 200 KiB of log: more than a pipe holds.
        for number in 0..<1200 {
            let batch = #"""
                {"batch_id":"b\#(number)","resource":{"app.installation.id":"d"},"events":[]}
                """#
            // The first that is not answered ends the test: each of the others would wait a minute.
            try #require(server.post(batch, on: connection) == 200)
        }
        process.terminate()
        #expect(eventually { !process.isRunning })
        #expect(process.terminationReason == .exit && process.terminationStatus == 0)
    }

    @Test("an export over HTTP/1.0 that the server's death cuts off ends with a reset")
    func killedExport() throws {
        let server = try TestServer()
        try server.start()
        let connection = try server.connect()
        let now = Int(Date().timeIntervalSince1970 * 1000)
        for number in 0..<20 {
            let events = (0..<1000).map {
                #"{"name":"a","time":\#(now - $0),"attributes":{"k":"\#(String(repeating: "x", count: 300))\#($0)"}}"#
            }
            let batch = #"""
                {"batch_id":"b\#(number)","resource":{"app.installation.id":"d"},"events":[\#(events.joined(separator: ","))]}
                """#
            #expect(server.post(batch, on: connection) == 200)
        }
        let slow = try StalledReader(
            port: server.port,
            request: "GET /report/export?app=shop HTTP/1.0\r\n"
                + "Authorization: Bearer \(server.reportToken)\r\n\r\n")
        #expect(slow.hasBegun)
        server.kill(SIGKILL)
        #expect(slow.readToEnd() == ECONNRESET)
    }
}

/// Asks for something and reads nothing of it for the time being.
private final class StalledReader {
    private let descriptor: Int32

    init(port: UInt16, request: String) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var room: Int32 = 4096
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &room, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw Failure(text: "cannot connect to \(port): \(errno)") }
        let bytes = Array(request.utf8)
        guard send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw Failure(text: "cannot send")
        }
    }

    deinit { close(descriptor) }

    /// Whether something of the answer comes.
    var hasBegun: Bool {
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&wait, 1, 60_000) > 0
    }

    /// How it ends: `errno`, zero where it ends in order.
    func readToEnd() -> Int32 {
        var piece = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = recv(descriptor, &piece, piece.count, 0)
            if count == 0 { return 0 }
            if count < 0, errno != EINTR { return errno }
        }
    }
}
