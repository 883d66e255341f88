#if canImport(Glibc)
import Foundation
import Glibc

#if canImport(CCurl)
// Where a file of a module imports it, what both have of sockets is its.
import CCurl
#endif

@testable import SojournClient

/// A server that is none of ours: it reads a request and writes the given bytes, once or without end.
final class StrangeServer: Sendable {
    let port: UInt16
    private let listener: Int32
    private let accepted = Locked(0)
    private let written = Locked(0)

    /// Connections so far.
    var connections: Int { accepted.use { $0 } }
    /// Bytes that were taken from it.
    var sent: Int { written.use { $0 } }

    /// - Parameters:
    ///   - answer: What is written first.
    ///   - rest: What follows until the connection is closed; nothing where it is empty.
    ///   - isSilent: Whether it then waits for the other end to close.
    ///   - place: Where it listens.
    init(
        _ answer: [UInt8], endlessly rest: [UInt8] = [], isSilent: Bool = false,
        at place: Place = Place()
    ) throws {
        let (listener, port) = try place.listen(16)
        self.listener = listener
        self.port = port
        Thread.detachNewThread { [accepted, written] in
            while case let connection = accept(listener, nil, nil), connection >= 0 {
                accepted.use { $0 += 1 }
                Self.serve(connection, answer, rest, written)
                var byte: UInt8 = 0
                if isSilent { while recv(connection, &byte, 1, 0) > 0 {} }
                close(connection)
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private static func serve(
        _ connection: Int32, _ answer: [UInt8], _ rest: [UInt8], _ written: Locked<Int>
    ) {
        // The tests' requests are small: they come in one piece.
        var request = [UInt8](repeating: 0, count: 65_536)
        guard recv(connection, &request, request.count, 0) > 0 else { return }
        func write(_ bytes: [UInt8]) -> Bool {
            var done = 0
            while done < bytes.count {
                let count = bytes.withUnsafeBytes {
                    send(
                        connection, $0.baseAddress.map { $0 + done }, $0.count - done,
                        Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return false }
                done += count
                written.use { $0 += count }
            }
            return true
        }
        guard write(answer), !rest.isEmpty else { return }
        while write(rest) {}
    }
}

/// An address of this machine to listen at.
struct Place {
    /// The last of the four numbers; the first three are 127.0.0.
    var host: UInt8 = 1
    /// 0: any that is free.
    var port: UInt16 = 0

    /// Its text.
    var address: String { "127.0.0.\(host)" }

    /// Does something with it as the system has it.
    func use<R>(_ body: (UnsafeMutablePointer<sockaddr>, inout socklen_t) -> R) -> R {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = (UInt32(0x7F00_0000) | UInt32(host)).bigEndian
        address.sin_port = port.bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &size) }
        }
    }

    /// A socket that listens there, and its port.
    ///
    /// - Parameter count: Connections that may wait to be taken.
    func listen(_ count: Int32) throws -> (socket: Int32, port: UInt16) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var isReused: Int32 = 1
        setsockopt(
            listener, SOL_SOCKET, SO_REUSEADDR, &isReused, socklen_t(MemoryLayout<Int32>.size))
        let port: UInt16? = use { address, size in
            guard bind(listener, address, size) == 0, Glibc.listen(listener, count) == 0,
                getsockname(listener, address, &size) == 0
            else { return nil }
            return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                UInt16(bigEndian: $0.pointee.sin_port)
            }
        }
        guard let port else { throw POSIXError(.EADDRINUSE) }
        return (listener, port)
    }
}
#endif
