import CCurl
import Glibc

/// Collects one answer while libcurl hands it on in pieces. Used on the thread of its client only.
final class HTTPReceiver {
    /// Fields an answer may have; a server of ours sends about ten.
    private static let fieldLimit = 200

    private(set) var fields: [(String, String)] = []
    private(set) var body: [UInt8] = []
    /// Whether the body or the header went past its limit, for which the transfer was stopped.
    private(set) var isOverLimit = false
    /// Whether the empty line after the header has come. Where a connection ends within the header,
    /// libcurl makes an answer of what there was.
    private(set) var isHeaderWhole = false
    private var bodyLimit = 0

    /// Whether the end of the body is told, other than by the connection's (RFC 9112 §6.3).
    var hasLength: Bool {
        fields.contains { field in
            switch field.0.lowercased() {
            case "content-length": true
            case "transfer-encoding": field.1.lowercased().hasSuffix("chunked")
            default: false
            }
        }
    }

    /// Forgets the answer before; the next may have `bodyLimit` bytes.
    func begin(bodyLimit: Int) {
        fields.removeAll(keepingCapacity: true)
        body = []
        isOverLimit = false
        isHeaderWhole = false
        self.bodyLimit = bodyLimit
    }

    /// Takes a piece of the body. False stops the transfer.
    private func takeBody(_ piece: UnsafeRawBufferPointer) -> Bool {
        guard piece.count <= bodyLimit - body.count else {
            isOverLimit = true
            return false
        }
        body.append(contentsOf: piece)
        return true
    }

    /// Takes one line of the header, its end included. False stops the transfer.
    private func takeLine(_ piece: UnsafeRawBufferPointer) -> Bool {
        let line = piece.prefix { $0 != 0x0D && $0 != 0x0A }
        if line.starts(with: "HTTP/".utf8) {
            // An interim answer (100 Continue) was before this one: its fields are not ours.
            fields.removeAll(keepingCapacity: true)
            isHeaderWhole = false
            return true
        }
        if line.isEmpty { isHeaderWhole = true }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return true }
        guard fields.count < Self.fieldLimit else {
            isOverLimit = true
            return false
        }
        let name = String(decoding: line[..<colon], as: UTF8.self)
        let value = line[line.index(after: colon)...]
            .drop { $0 == 0x20 || $0 == 0x09 }
        var text = String(decoding: value, as: UTF8.self)
        while text.last == " " || text.last == "\t" { text.removeLast() }
        fields.append((name, text))
        return true
    }

    /// What libcurl calls with a piece of the body; fewer bytes than given stop it.
    static let bodyCallback: curl_write_callback = { bytes, size, count, target in
        HTTPReceiver.give(bytes, size, count, target) { $0.takeBody($1) }
    }

    /// What libcurl calls with each line of the header.
    static let lineCallback: curl_write_callback = { bytes, size, count, target in
        HTTPReceiver.give(bytes, size, count, target) { $0.takeLine($1) }
    }

    private static func give(
        _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
        _ target: UnsafeMutableRawPointer?,
        to take: (HTTPReceiver, UnsafeRawBufferPointer) -> Bool
    ) -> Int {
        let (total, overflow) = size.multipliedReportingOverflow(by: count)
        guard !overflow, let bytes, let target else { return 0 }
        let receiver = Unmanaged<HTTPReceiver>.fromOpaque(target).takeUnretainedValue()
        return take(receiver, UnsafeRawBufferPointer(start: bytes, count: total)) ? total : 0
    }
}

/// Keeps `SIGPIPE` from ending the program while libcurl writes to a connection that the server has
/// closed. TLS libraries write without `MSG_NOSIGNAL`, and libcurl's own protection is off where it
/// may not use signals. Only this thread's mask is changed: what `SIGPIPE` means to the program, as
/// when its output goes into a pipe, is not a client's to decide.
enum PipeSignal {
    /// Runs `body` and swallows a `SIGPIPE` that it caused.
    static func withheld<Result>(_ body: () -> Result) -> Result {
        var pipe = sigset_t()
        var before = sigset_t()
        var pending = sigset_t()
        sigemptyset(&pipe)
        sigaddset(&pipe, SIGPIPE)
        sigpending(&pending)
        let wasPending = sigismember(&pending, SIGPIPE) == 1
        guard pthread_sigmask(SIG_BLOCK, &pipe, &before) == 0 else { return body() }
        defer {
            if !wasPending {
                var now = timespec()
                while sigtimedwait(&pipe, nil, &now) < 0, errno == EINTR {}
            }
            pthread_sigmask(SIG_SETMASK, &before, nil)
        }
        return body()
    }
}
