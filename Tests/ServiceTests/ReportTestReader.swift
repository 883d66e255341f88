import Foundation

/// Asks for reports over a socket, and reads as slowly as it is told.
final class ReportTestReader {
    private let descriptor: Int32
    private(set) var received: [UInt8] = []

    /// Connects; `receiveBuffer` bytes of an answer lie in the kernel, about.
    init(port: UInt16, receiveBuffer: Int32? = nil) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let size = socklen_t(MemoryLayout<Int32>.size)
        if var receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, size)
        }
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience,
            socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        _ = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    deinit { close(descriptor) }

    func ask(
        _ target: String, token: String, method: String = "GET", fields: [String] = []
    ) {
        let lines =
            ["\(method) \(target) HTTP/1.1", "Host: x", "Authorization: Bearer \(token)"] + fields
        say(lines.joined(separator: "\r\n") + "\r\n\r\n")
    }

    func say(_ request: String) { say(Array(request.utf8)) }

    func say(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes {
            send(descriptor, $0.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        }
    }

    /// Whether something can be read within so many milliseconds.
    func waits(_ milliseconds: Int32) -> Bool {
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&wait, 1, milliseconds) > 0
    }

    /// What has come behind the head.
    var body: String { String(String(decoding: received, as: UTF8.self).dropFirst(head.count)) }

    /// Reads until the head is there.
    var status: Int {
        while received.firstRange(of: Array("\r\n\r\n".utf8)) == nil, read() {}
        return Int(String(decoding: received.dropFirst(9).prefix(3), as: UTF8.self)) ?? 0
    }

    /// The head of what has come.
    var head: String {
        let end = received.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound ?? 0
        return String(decoding: received[..<end], as: UTF8.self)
    }

    /// The value of a field of the head that has been read.
    func field(_ name: String) -> String? {
        let head = String(decoding: received, as: UTF8.self).components(separatedBy: "\r\n\r\n")[0]
        let line = head.components(separatedBy: "\r\n").first { $0.hasPrefix(name + ": ") }
        return line.map { String($0.dropFirst(name.count + 2)) }
    }

    /// Reads until `end` stands at the end; false if nothing more comes before.
    func reads(to end: String) -> Bool {
        while !received.suffix(end.utf8.count).elementsEqual(end.utf8) {
            if !read() { return false }
        }
        return true
    }

    /// Reads until so many bytes have come; false if nothing more comes before.
    func reads(count: Int) -> Bool {
        while received.count < count {
            if !read() { return false }
        }
        return received.count == count
    }

    /// Forgets what has come.
    func forget() { received = [] }

    /// Goes away with a reset.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        // The number stays taken, so that no other test gets it while this object closes it.
        let other = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        dup2(other, descriptor)
        close(other)
    }

    private func read() -> Bool {
        var room = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &room, room.count, 0)
        guard count > 0 else { return false }
        received += room[..<count]
        return true
    }
}
