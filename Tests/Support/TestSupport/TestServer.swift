import Dispatch
import Foundation
import Synchronization

/// A server of a few lines: whatever it is told to answer, byte for byte.
package final class TestServer: Sendable {
    /// A request as it came.
    package struct Request: Sendable {
        package let head: String
        package let body: [UInt8]
        /// Which connection it came on, from 0.
        package let connection: Int

        package var line: String { String(head.prefix { $0 != "\r\n" }) }

        package func field(_ name: String) -> String? {
            let lines = head.split(separator: "\r\n").dropFirst()
            let line = lines.first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
            return line.map {
                $0.drop { $0 != ":" }.dropFirst().trimmingCharacters(in: .whitespaces)
            }
        }
    }

    /// What to do with a request.
    package enum Reply: Sendable {
        case raw(String)
        case rawThenClose(String)
        case close
        case silence
    }

    private let socket: Int32
    private let port: UInt16
    private let state = Mutex<(requests: [Request], connections: [Int32])>(([], []))
    private let reply: @Sendable (Request, Int) -> Reply

    package var url: String { "http://127.0.0.1:\(port)" }
    package var requests: [Request] { state.withLock { $0.requests } }

    /// Listens on a free port of the loopback, or at `path`. `reply` is given each request and how many
    /// came before it.
    package init(path: String? = nil, _ reply: @escaping @Sendable (Request, Int) -> Reply) throws {
        self.reply = reply
        let family = path == nil ? AF_INET : AF_UNIX
        let listener = Foundation.socket(family, Int32(SOCK_STREAM.rawValue), 0)
        socket = listener
        let bound: Int32
        if let path {
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            bound = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            port = 0
        } else {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            bound = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(listener, $0, size) == 0 ? getsockname(listener, $0, &size) : -1
                }
            }
            port = UInt16(bigEndian: address.sin_port)
        }
        guard bound == 0, listen(listener, 64) == 0 else { throw POSIXError(.EADDRINUSE) }
        DispatchQueue(label: "test.accept").async { [weak self] in
            var number = 0
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0, let self else {
                    // Closed by who uses it: its number may be another's at once.
                    close(listener)
                    return
                }
                self.state.withLock { $0.connections.append(connection) }
                let mine = number
                DispatchQueue(label: "test.connection").async {
                    self.serve(connection, mine)
                }
                number += 1
            }
        }
    }

    /// Stops listening and ends every connection.
    package func stop() {
        shutdown(socket, Int32(SHUT_RDWR))
        state.withLock { $0.connections.forEach { shutdown($0, Int32(SHUT_RDWR)) } }
    }

    private func serve(_ connection: Int32, _ number: Int) {
        var input: [UInt8] = []
        defer {
            state.withLock { state in
                state.connections.removeAll { $0 == connection }
                close(connection)
            }
        }
        while let request = read(from: connection, &input, number) {
            let before = state.withLock { state in
                state.requests.append(request)
                return state.requests.count - 1
            }
            switch reply(request, before) {
            case .raw(let text): write(text, to: connection)
            case .rawThenClose(let text):
                write(text, to: connection)
                return
            case .close: return
            case .silence: break
            }
        }
    }

    private func read(
        from connection: Int32, _ input: inout [UInt8], _ number: Int
    ) -> Request? {
        while true {
            if let end = input.firstRange(of: Array("\r\n\r\n".utf8)) {
                let head = String(decoding: input[..<end.lowerBound], as: UTF8.self)
                let length =
                    Request(head: head, body: [], connection: 0).field("Content-Length")
                    .flatMap { Int($0) } ?? 0
                if input.count >= end.upperBound + length {
                    let body = Array(input[end.upperBound..<end.upperBound + length])
                    input.removeFirst(end.upperBound + length)
                    return Request(head: head, body: body, connection: number)
                }
            }
            var piece = [UInt8](repeating: 0, count: 1 << 16)
            let count = recv(connection, &piece, piece.count, 0)
            guard count > 0 else { return nil }
            input += piece[..<count]
        }
    }

    private func write(_ text: String, to connection: Int32) {
        let bytes = Array(text.utf8)
        var at = 0
        while at < bytes.count {
            let count = bytes[at...].withUnsafeBytes {
                send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            at += count
        }
    }

    /// An answer with its length.
    package static func answer(
        _ status: String, type: String? = nil, fields: [String] = [], _ body: String = ""
    ) -> Reply {
        .raw(text(status, type: type, fields: fields, body))
    }

    package static func text(
        _ status: String, type: String? = nil, fields: [String] = [], _ body: String = ""
    ) -> String {
        var lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)"] + fields
        if let type { lines.append("Content-Type: \(type)") }
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
    }

    /// What a sojourn server says to a batch that it stored.
    package static func stored(_ id: String, accepted: Int = 1, duplicate: Bool = false) -> Reply {
        answer(
            "200 OK", type: "application/json",
            #"{"batch_id":"\#(id)","duplicate":\#(duplicate),"accepted":\#(accepted),"rejected":0}"#
        )
    }

    /// What it says to one that it refuses.
    package static func problem(_ status: Int, _ code: String, fields: [String] = []) -> Reply {
        answer(
            "\(status) Refused", type: "application/problem+json", fields: fields,
            #"{"type":"about:blank","title":"x","status":\#(status),"code":"\#(code)","detail":"do so"}"#
        )
    }
}
