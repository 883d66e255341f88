import Foundation

/// The side of systemd: a datagram socket that a service is told to write to.
package final class NotifyReceiver {
    /// What `NOTIFY_SOCKET` would hold.
    package let name: String
    private let descriptor: Int32

    /// - Parameter isAbstract: a name without a file.
    package init(isAbstract: Bool) throws {
        let path = FileManager.default.temporaryDirectory.path + "/sojourn-\(UUID().uuidString)"
        name = isAbstract ? "@" + path.dropFirst() : path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let octets = Array(name.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { room in
            for (place, octet) in octets.enumerated() { room[place] = octet }
            if isAbstract { room[0] = 0 }
        }
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        // An abstract name ends where the address does.
        let length = socklen_t(2 + octets.count + (isAbstract ? 0 : 1))
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard result == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }

    deinit {
        close(descriptor)
        if name.hasPrefix("/") { unlink(name) }
    }

    /// Waits for a message; nil where none came in time.
    package func next() -> String? { receive(0) }

    /// Whether no message waits.
    package var isEmpty: Bool { receive(Int32(MSG_DONTWAIT)) == nil }

    private func receive(_ flags: Int32) -> String? {
        var octets = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &octets, octets.count, flags)
        return count < 0 ? nil : String(decoding: octets[..<count], as: UTF8.self)
    }
}
