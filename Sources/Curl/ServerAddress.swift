/// Where a server listens: `http://host:port`, `https://host/prefix` or `unix:/path/to.sock`.
///
/// Credentials never stand in an address, since addresses are printed.
package struct ServerAddress: Sendable, Equatable {
    /// Scheme, host and port, or `unix:` and the path: what an error names.
    package let origin: String
    /// The prefix of every request's path, without a slash at its end.
    let base: String
    /// The socket's path when the server listens on a Unix socket.
    package let socketPath: String?
    /// Whether the server is this machine, which no proxy could reach for us.
    package let isLocal: Bool
    /// Whether there is more than scheme, host and port.
    package var hasPath: Bool { base != origin }
    /// Equal where requests can share a connection.
    var key: String { origin + " " + base }

    /// Reads an address as a person writes it.
    ///
    /// - Throws: `AddressFailure` when it is none, with what to write instead.
    package init(_ text: String) throws(AddressFailure) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            guard path.hasPrefix("/"), !path.utf8.contains(0) else {
                throw AddressFailure(reason: "a Unix socket is unix: and its absolute path")
            }
            // sun_path has 108 bytes, the last of which is the NUL.
            guard path.utf8.count < 108 else {
                throw AddressFailure(reason: "the path of a Unix socket has at most 107 octets")
            }
            origin = text
            base = "http://localhost"
            socketPath = path
            isLocal = true
            return
        }
        let lower = text.lowercased()
        guard lower.hasPrefix("http://") || lower.hasPrefix("https://") else {
            throw AddressFailure(reason: "it must begin with http://, https:// or unix:/")
        }
        let scheme = lower.hasPrefix("https://") ? "https://" : "http://"
        var rest = text.dropFirst(scheme.count)
        guard rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw AddressFailure(reason: "it holds white space or other than ASCII")
        }
        guard !rest.contains("?"), !rest.contains("#") else {
            throw AddressFailure(reason: "it must not have a query or a fragment")
        }
        while rest.hasSuffix("/") { rest = rest.dropLast() }
        let authority = rest.prefix { $0 != "/" }
        guard !authority.contains("@") else {
            throw AddressFailure(reason: "it must not hold credentials; give a token instead")
        }
        let host = Self.host(of: authority)
        guard !host.isEmpty else { throw AddressFailure(reason: "it names no host") }
        let port = authority.dropFirst(host.count)
        guard port.isEmpty || Self.isPort(port) else {
            throw AddressFailure(reason: "its port is no number from 1 to 65535")
        }
        origin = scheme + authority
        base = scheme + rest
        socketPath = nil
        isLocal = host == "localhost" || host == "[::1]" || host.hasPrefix("127.")
    }

    /// The full URL of `path`, which begins with a slash and may end with a query.
    package func url(_ path: String) -> String { base + path }

    /// With the colon before it.
    private static func isPort(_ text: Substring) -> Bool {
        let digits = text.dropFirst()
        guard text.first == ":", digits.allSatisfy({ $0.isASCII && $0.isNumber }) else {
            return false
        }
        return UInt16(digits).map { $0 > 0 } ?? false
    }

    private static func host(of authority: Substring) -> Substring {
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return "" }
            return authority[...end]
        }
        return authority.prefix { $0 != ":" }
    }
}

/// Why a text is no server's address.
package struct AddressFailure: Error, Equatable, CustomStringConvertible {
    /// What is wrong with it, as the end of a sentence.
    package let reason: String

    /// - Parameter reason: what is wrong, as the end of a sentence
    package init(reason: String) { self.reason = reason }

    /// One line to show. It does not repeat the address, which may hold a password.
    package var description: String { "cannot use this server address: \(reason)" }
}
