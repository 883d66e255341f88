import Foundation

/// A bare socket that speaks just enough HTTP: shares no code with the program.
final class TestConnection {
    private let descriptor: Int32
    private var buffer: [UInt8] = []

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw Failure(text: "cannot connect to \(port): \(errno)") }
    }

    deinit { close(descriptor) }

    /// An answer as it came.
    struct Answer {
        let status: Int
        let head: String
        let body: String

        /// All that may differ between answers to equal requests is their date.
        var withoutDate: String { head.replacing(/Date: [^\r]*/, with: "") + body }
    }

    /// Sends a request and reads its answer; nil where the connection broke.
    func exchange(_ request: String) -> Answer? { exchange(Array(request.utf8)) }

    func exchange(_ octets: [UInt8]) -> Answer? {
        var sent = 0
        while sent < octets.count {
            let count = octets[sent...].withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return nil }
            sent += count
        }
        guard let head = take(until: [13, 10, 13, 10]) else { return nil }
        let text = String(decoding: head, as: UTF8.self)
        let lines = text.components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ")
        guard words.count >= 2, let status = Int(words[1]) else { return nil }
        let lengths = lines.compactMap { line -> Int? in
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "content-length" else { return nil }
            return Int(parts[1].trimmingCharacters(in: .whitespaces))
        }
        let body = lengths.first.map { take(count: $0) } ?? takeChunks()
        return body.map {
            Answer(status: status, head: text, body: String(decoding: $0, as: UTF8.self))
        }
    }

    private func takeChunks() -> [UInt8]? {
        var body: [UInt8] = []
        while true {
            guard let line = take(until: [13, 10]),
                let size = Int(String(decoding: line, as: UTF8.self), radix: 16),
                let chunk = take(count: size), take(count: 2) != nil
            else { return nil }
            if size == 0 { return body }
            body += chunk
        }
    }

    private func take(until mark: [UInt8]) -> [UInt8]? {
        var searched = 0
        while true {
            var at = max(0, searched - mark.count)
            while at + mark.count <= buffer.count {
                if Array(buffer[at..<(at + mark.count)]) == mark {
                    let head = Array(buffer[..<at])
                    buffer.removeFirst(at + mark.count)
                    return head
                }
                at += 1
            }
            searched = buffer.count
            guard receive() else { return nil }
        }
    }

    private func take(count: Int) -> [UInt8]? {
        while buffer.count < count { guard receive() else { return nil } }
        let taken = Array(buffer[..<count])
        buffer.removeFirst(count)
        return taken
    }

    private func receive() -> Bool {
        var piece = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &piece, piece.count, 0)
        guard count > 0 else { return false }
        buffer += piece[..<count]
        return true
    }
}
