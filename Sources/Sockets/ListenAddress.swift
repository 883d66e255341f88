import Glibc

/// Where a listener listens.
package enum ListenAddress: Sendable, Equatable, CustomStringConvertible {
    /// IPv4, `127.0.0.1:8080`; `localhost` is 127.0.0.1. Port 0 takes a free one.
    case ipv4(host: String, port: UInt16)
    /// IPv6, `[::1]:8080`.
    case ipv6(host: String, port: UInt16)
    /// A local socket, `unix:/path`.
    case unix(path: String)
    /// A listening socket that was handed to the process; it is taken as it is.
    case inherited(descriptor: Int32)

    /// Parses `host:port`, `[host]:port` and `unix:/path`; `nil` for anything else. Hosts are
    /// addresses, not names: a listener shall not depend on a name service.
    package init?(_ text: String) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            guard path.hasPrefix("/"), path.utf8.count <= Self.maxPathLength,
                !path.utf8.contains(0)
            else { return nil }
            self = .unix(path: path)
            return
        }
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 &- 0x30 < 10 }),
            let port = UInt16(digits)
        else { return nil }
        let host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            let inner = String(host.dropFirst().dropLast())
            var address = in6_addr()
            guard inet_pton(AF_INET6, inner, &address) == 1 else { return nil }
            self = .ipv6(host: inner, port: port)
            return
        }
        let name = host == "localhost" ? "127.0.0.1" : String(host)
        var address = in_addr()
        guard inet_pton(AF_INET, name, &address) == 1 else { return nil }
        self = .ipv4(host: name, port: port)
    }

    /// Bytes of the longest path of a local socket: `sun_path` without the zero at its end.
    package static let maxPathLength = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// How many bytes the path of `unix:/path` has where they are too many; nil for any other text.
    package static func overlongPath(in text: String) -> Int? {
        guard text.hasPrefix("unix:/") else { return nil }
        let length = text.utf8.count - 5
        return length > maxPathLength ? length : nil
    }

    /// The one text of all that mean the same address: `[::1]:80` of `[0:0::1]:80`.
    package var canonical: String { SocketAddress(self)?.text ?? description }

    package var description: String {
        switch self {
        case .ipv4(let host, let port): "\(host):\(port)"
        case .ipv6(let host, let port): "[\(host)]:\(port)"
        case .unix(let path): "unix:\(path)"
        case .inherited(let descriptor): "descriptor \(descriptor)"
        }
    }
}
