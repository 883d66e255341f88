import Foundation

/// A client that sends what it is told and reads what comes, with a deadline on everything.
final class TestClient {
    let descriptor: Int32
    private(set) var received: [UInt8] = []
    private var target = sockaddr_storage()
    private var isClosed = false
    private var wasReset = false

    /// Connects to `host:port`, `[host]:port` or `unix:/path`.
    convenience init(_ address: String, receiveBuffer: Int32? = nil) throws {
        try self.init(later: address, receiveBuffer: receiveBuffer)
        try connect()
    }

    /// Has its descriptor, and connects when told to.
    init(later address: String, receiveBuffer: Int32? = nil) throws {
        let colon = address.lastIndex(of: ":") ?? address.startIndex
        let port = (UInt16(address[colon...].dropFirst()) ?? 0).bigEndian
        let host = address[..<colon]
        if address.hasPrefix("unix:") {
            target = Self.stored(Self.unix(String(address.dropFirst(5))))
        } else if address.hasPrefix("[") {
            var value = sockaddr_in6()
            value.sin6_family = sa_family_t(AF_INET6)
            value.sin6_port = port
            inet_pton(AF_INET6, String(host.dropFirst().dropLast()), &value.sin6_addr)
            target = Self.stored(value)
        } else {
            var value = sockaddr_in()
            value.sin_family = sa_family_t(AF_INET)
            value.sin_port = port
            inet_pton(AF_INET, String(host), &value.sin_addr)
            target = Self.stored(value)
        }
        descriptor = socket(Int32(target.ss_family), Int32(SOCK_STREAM.rawValue), 0)
        try Self.check(descriptor)
        if var receiveBuffer {
            setsockopt(
                descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer,
                socklen_t(MemoryLayout<Int32>.size))
        }
    }

    deinit { close() }

    func connect() throws {
        try Self.check(Self.with(&target) { Foundation.connect(descriptor, $0, $1) })
    }

    /// The address of a local socket.
    static func unix(_ path: String) -> sockaddr_un {
        var value = sockaddr_un()
        value.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &value.sun_path) { room in
            for (place, octet) in path.utf8.enumerated() { room[place] = octet }
        }
        return value
    }

    /// Hands an address of any kind to a system call.
    static func with<Address>(
        _ address: inout Address, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                let length =
                    switch Int32(pointer.pointee.sa_family) {
                    case AF_UNIX: MemoryLayout<sockaddr_un>.size
                    case AF_INET6: MemoryLayout<sockaddr_in6>.size
                    default: MemoryLayout<sockaddr_in>.size
                    }
                return call(pointer, socklen_t(length))
            }
        }
    }

    private static func stored<Address>(_ address: Address) -> sockaddr_storage {
        var storage = sockaddr_storage()
        withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: address, as: Address.self) }
        return storage
    }

    func close() {
        if !isClosed { Foundation.close(descriptor) }
        isClosed = true
    }

    /// Closes with a reset.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    private static func check(_ result: Int32) throws {
        if result < 0 { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }

    func send(_ text: String) { send(Array(text.utf8)) }

    /// Sends all of it, or as much as the server takes.
    func send(_ octets: [UInt8]) {
        var start = 0
        while start < octets.count {
            let count = octets.withUnsafeBytes {
                Foundation.send(
                    descriptor, UnsafeRawBufferPointer(rebasing: $0[start...]).baseAddress,
                    octets.count - start,
                    Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return }
            start += count
        }
    }

    /// Reads what is there within `milliseconds`; `false` at the end or when nothing came.
    func read(_ milliseconds: Int32 = 60_000) -> Bool {
        guard waits(milliseconds) else { return false }
        var room = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &room, room.count, 0)
        // The system tells once; after that it is an end like any other.
        if count < 0, errno == ECONNRESET { wasReset = true }
        guard count > 0 else { return false }
        received += room[..<count]
        return true
    }

    /// `true` if something, be it the end, can be read within `milliseconds`.
    func waits(_ milliseconds: Int32) -> Bool {
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&wait, 1, milliseconds) > 0
    }

    /// Reads until so many answers without a body in chunks have come; their statuses.
    func statuses(_ count: Int) -> [Int] {
        while true {
            let found = parsed()
            if found.count >= count || !read() { return found.map(\.status) }
        }
    }

    /// The bodies of so many answers, each as text.
    func bodies(_ count: Int) -> [String] {
        _ = statuses(count)
        return parsed().map { String(decoding: $0.body, as: UTF8.self) }
    }

    /// The answers that have come so far.
    func parsed() -> [(status: Int, header: String, body: [UInt8])] {
        var answers: [(Int, String, [UInt8])] = []
        var start = 0
        let separator = Array("\r\n\r\n".utf8)
        while let gap = received[start...].firstRange(of: separator) {
            let header = String(decoding: received[start..<gap.lowerBound], as: UTF8.self)
            let status = Int(header.dropFirst(9).prefix(3)) ?? 0
            var length = 0
            for line in header.split(separator: "\r\n") where line.hasPrefix("Content-Length: ") {
                length = Int(line.dropFirst(16)) ?? 0
            }
            guard received.count >= gap.upperBound + length else { break }
            answers.append(
                (status, header, Array(received[gap.upperBound..<gap.upperBound + length])))
            start = gap.upperBound + length
        }
        return answers
    }

    /// How a connection ended.
    enum End { case clean, reset, none }

    /// Reads to the end of the connection and says how it ended.
    func end(_ milliseconds: Int32 = 60_000) -> End {
        while read(milliseconds) {}
        guard waits(0) else { return .none }
        return wasReset ? .reset : .clean
    }

    /// Reads to the end of the connection; `false` if it does not end in time.
    func readToEnd(_ milliseconds: Int32 = 60_000) -> Bool { end(milliseconds) != .none }
}
