import Foundation

/// A listening socket as systemd holds one: it outlives the servers that it is handed to.
final class HeldListener: Sendable {
    let descriptor: Int32
    let port: UInt16

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { [descriptor] in
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) | listen(descriptor, 512)
                    | getsockname(descriptor, $0, &length)
            }
        }
        guard result == 0 else { throw Failure(text: "cannot listen: \(errno)") }
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(descriptor) }

}
