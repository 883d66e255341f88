import Glibc

/// A socket address as the system calls want it.
struct SocketAddress {
    private var storage = sockaddr_storage()
    private var length: socklen_t

    /// `nil` for an inherited descriptor, which has its address already.
    init?(_ address: ListenAddress) {
        switch address {
        case .ipv4(let host, let port):
            var value = sockaddr_in()
            value.sin_family = sa_family_t(AF_INET)
            value.sin_port = port.bigEndian
            guard inet_pton(AF_INET, host, &value.sin_addr) == 1 else { return nil }
            length = socklen_t(MemoryLayout<sockaddr_in>.size)
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: value, as: sockaddr_in.self) }
        case .ipv6(let host, let port):
            var value = sockaddr_in6()
            value.sin6_family = sa_family_t(AF_INET6)
            value.sin6_port = port.bigEndian
            guard inet_pton(AF_INET6, host, &value.sin6_addr) == 1 else { return nil }
            length = socklen_t(MemoryLayout<sockaddr_in6>.size)
            withUnsafeMutableBytes(of: &storage) {
                $0.storeBytes(of: value, as: sockaddr_in6.self)
            }
        case .unix(let path):
            var value = sockaddr_un()
            value.sun_family = sa_family_t(AF_UNIX)
            guard path.utf8.count <= ListenAddress.maxPathLength else { return nil }
            withUnsafeMutableBytes(of: &value.sun_path) { room in
                for (index, byte) in path.utf8.enumerated() { room[index] = byte }
            }
            length = socklen_t(MemoryLayout<sockaddr_un>.size)
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: value, as: sockaddr_un.self) }
        case .inherited: return nil
        }
    }

    /// The family, such as `AF_INET`.
    var family: Int32 { Int32(storage.ss_family) }

    mutating func bind(_ descriptor: Int32) -> Int32 {
        withPointer { address, length in
            Glibc.bind(descriptor, address, length)
        }
    }

    mutating func connect(_ descriptor: Int32) -> Int32 {
        withPointer { address, length in
            Glibc.connect(descriptor, address, length)
        }
    }

    private mutating func withPointer(
        _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        let length = length
        return withUnsafePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, length) }
        }
    }

    /// Where a descriptor listens.
    private init?(localOf descriptor: Int32) {
        length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &length)
            }
        }
        guard result == 0 else { return nil }
    }

    /// Where a descriptor listens, as text.
    static func local(_ descriptor: Int32) -> String? {
        SocketAddress(localOf: descriptor)?.text
    }

    /// As the settings write it, in the one form that the system gives it.
    var text: String? {
        let family = Int32(storage.ss_family)
        return withUnsafeBytes(of: storage) { bytes -> String? in
            switch family {
            case AF_INET:
                var value = bytes.load(as: sockaddr_in.self)
                let host = Self.text(AF_INET, &value.sin_addr)
                return "\(host):\(UInt16(bigEndian: value.sin_port))"
            case AF_INET6:
                var value = bytes.load(as: sockaddr_in6.self)
                let host = Self.text(AF_INET6, &value.sin6_addr)
                return "[\(host)]:\(UInt16(bigEndian: value.sin6_port))"
            case AF_UNIX:
                let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
                let path = bytes[offset..<min(bytes.count, max(offset, Int(length)))]
                return "unix:" + String(decoding: path.prefix { $0 != 0 }, as: UTF8.self)
            default: return nil
            }
        }
    }

    private static func text(_ family: Int32, _ address: UnsafeRawPointer) -> String {
        var room = [CChar](repeating: 0, count: 64)
        inet_ntop(family, address, &room, socklen_t(room.count))
        return String(
            decoding: room.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
