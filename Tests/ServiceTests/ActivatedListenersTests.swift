import Foundation
import Sockets
import Testing

@testable import Service

/// docs/operation.md, Socket activation.
@Suite("sockets that systemd holds")
struct ActivatedListenersTests {
    /// A socket that listens on a free port.
    private static func listening() throws -> InheritedSocket {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var target = sockaddr_in()
        target.sin_family = sa_family_t(AF_INET)
        target.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &target) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        #expect(result == 0 && listen(descriptor, 1) == 0)
        return try InheritedSocket(descriptor)
    }

    private let first: InheritedSocket
    private let second: InheritedSocket
    private let elsewhere = ListenAddress.ipv4(host: "127.0.0.1", port: 1)

    init() throws {
        first = try Self.listening()
        second = try Self.listening()
    }

    private func address(_ socket: InheritedSocket) throws -> ListenAddress {
        try #require(ListenAddress(socket.address))
    }

    private func inherited(_ socket: InheritedSocket) -> ListenAddress {
        .inherited(descriptor: socket.descriptor)
    }

    private func close() {
        for socket in [first, second] { Foundation.close(socket.descriptor) }
    }

    @Test("without any, settings listen where they say")
    func none() throws {
        defer { close() }
        let activated = try ActivatedListeners([], addresses: ["listen": [elsewhere]])
        #expect(
            activated.listeners == ["listen": [elsewhere], "report-listen": [], "admin-listen": []])
    }

    @Test("one that bears no setting's name goes to the setting that has its address")
    func byAddress() throws {
        defer { close() }
        let activated = try ActivatedListeners(
            [.init(socket: second, name: "sojourn.socket"), .init(socket: first, name: "unknown")],
            addresses: [
                "listen": [elsewhere, try address(first)], "admin-listen": [try address(second)],
            ])
        #expect(activated.listeners["listen"] == [elsewhere, inherited(first)])
        #expect(activated.listeners["admin-listen"] == [inherited(second)])
        #expect(activated.replaced.isEmpty)
    }

    @Test("those that bear a setting's name stand in place of its addresses")
    func byName() throws {
        defer { close() }
        let activated = try ActivatedListeners(
            [.init(socket: first, name: "listen"), .init(socket: second, name: "report-listen")],
            addresses: ["listen": [elsewhere, try address(first)]])
        #expect(activated.listeners["listen"] == [inherited(first)])
        #expect(activated.listeners["report-listen"] == [inherited(second)])
        #expect(activated.replaced.map(\.setting) == ["listen"])
        #expect(activated.replaced.map(\.address) == [elsewhere])
    }

    @Test("one that belongs nowhere, or is there twice, is a wrong setting that names its address")
    func nowhere() throws {
        defer { close() }
        for sockets in [[first], [second, second]] {
            let failure = #expect(throws: AdminFailure.self) {
                try ActivatedListeners(
                    sockets.map { .init(socket: $0, name: "sojourn.socket") },
                    addresses: ["listen": [elsewhere, try address(second)]])
            }
            #expect(failure?.exit == .configuration)
            #expect(failure?.description.contains(sockets[0].address) == true)
        }
    }

    @Test("a descriptor that does not listen is a wrong setting that is named")
    func notListening() throws {
        defer { close() }
        let systemd = try SystemdEnvironment(
            ["LISTEN_PID": "1", "LISTEN_FDS": "1000"], process: 1)
        let failure = #expect(throws: AdminFailure.self) {
            try ActivatedListeners.sockets(of: systemd)
        }
        #expect(failure?.exit == .configuration)
        #expect(failure?.description.contains("descriptor ") == true)
    }
}
