#if canImport(CCurl)
import Core

/// Collects an answer while libcurl hands it on in pieces: at most 64 KiB of a header, what comes before it
/// included, and at most 64 KiB of a body, inflated.
final class CurlAnswer {
    /// Whether the transfer was stopped because there was more.
    private(set) var isTooLong = false
    private var headerLength = 0
    private var isHeaderWhole = false
    private var fields: [String: String] = [:]
    private var body: [UInt8] = []

    /// As much of it as a client looks at; nil where the connection ended within the header.
    func response(status: Int) -> Reply.Response? {
        guard isHeaderWhole else { return nil }
        return Reply.Response(
            status: status, mediaType: Reply.Response.mediaType(of: fields["content-type"] ?? ""),
            retryAfter: fields["retry-after"], date: fields["date"],
            location: fields["location"], body: body)
    }

    /// Takes a piece of the body. False stops the transfer.
    func take(body piece: UnsafeRawBufferPointer) -> Bool {
        guard body.count + piece.count <= Answer.maxLength else {
            isTooLong = true
            return false
        }
        body += piece
        return true
    }

    /// Takes a line of the header, or of what follows a body. False stops the transfer.
    func take(line piece: UnsafeRawBufferPointer) -> Bool {
        headerLength += piece.count
        guard headerLength <= Answer.maxLength else {
            isTooLong = true
            return false
        }
        let line = piece.prefix { $0 != 0x0D && $0 != 0x0A }
        if line.starts(with: "HTTP/".utf8) {
            // An interim answer was before this one.
            fields = [:]
            isHeaderWhole = false
        } else if line.isEmpty {
            isHeaderWhole = true
        } else if !isHeaderWhole, let colon = line.firstIndex(of: UInt8(ascii: ":")) {
            add(Self.text(line[..<colon]).lowercased(), Self.text(line[(colon + 1)...]))
        }
        return true
    }

    /// A field that comes again is a list (RFC 9110 §5.3).
    private func add(_ name: String, _ value: String) {
        guard ["content-type", "retry-after", "date", "location"].contains(name) else { return }
        fields[name] = fields[name].map { "\($0), \(value)" } ?? value
    }

    /// Without the blanks around it.
    private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        let front = bytes.drop(while: isBlank)
        let end = front.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? front.startIndex
        return String(decoding: front[..<end], as: UTF8.self)
    }
}
#endif
