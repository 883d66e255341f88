import FuzzSupport
import HTTP1

/// Reads a message once more, by lines and without states, as somebody would who knows only
/// RFC 9112 §6 and §7.1: two readings that differ are how requests are smuggled.
enum PlainReading {
    static func expect(
        _ body: [UInt8], endsAt end: Int, of message: ArraySlice<UInt8>,
        _ head: borrowing RequestHead
    ) {
        var at = message.startIndex
        // Empty lines may stand before a request.
        while message[at...].starts(with: [13, 10]) { at += 2 }
        var lines: [ArraySlice<UInt8>] = []
        while let line = line(message, &at), !line.isEmpty { lines.append(line) }
        check(at - message.startIndex == head.end, "the head ends at \(at), not \(head.end)")
        check(lines.count == head.fields.count + 1, "\(lines.count) lines")
        var length: Int?
        var isChunked = false
        for line in lines.dropFirst() {
            let parts = line.split(separator: 0x3a, maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(decoding: parts[0], as: UTF8.self).lowercased()
            let value = String(decoding: parts[1], as: UTF8.self)
                .trimming(while: { $0 == " " || $0 == "\t" })
            if name == "content-length" { length = Int(value) }
            if name == "transfer-encoding" {
                isChunked = isChunked || value.contains(where: \.isLetter)
            }
        }
        if isChunked {
            check(length == nil, "a length in two ways")
            check(chunks(message, &at) == body, "another body than the chunks have")
        } else {
            let size = length ?? 0
            check(Array(message[at...].prefix(size)) == body, "another body than the length says")
            at += size
        }
        check(at - message.startIndex == end, "the message ends at \(at), not \(end)")
    }

    private static func chunks(_ message: ArraySlice<UInt8>, _ at: inout Int) -> [UInt8]? {
        var body: [UInt8] = []
        while let size = line(message, &at) {
            let digits = size.prefix { $0 != 0x3b && $0 != 0x20 && $0 != 9 }
            guard let count = Int(String(decoding: digits, as: UTF8.self), radix: 16) else {
                return nil
            }
            if count == 0 {
                while let trailer = line(message, &at), !trailer.isEmpty {}
                return body
            }
            body += message[at...].prefix(count)
            at += count
            guard message[at...].starts(with: [13, 10]) else { return nil }
            at += 2
        }
        return nil
    }

    /// The next line without its end; nil if none ends.
    private static func line(_ message: ArraySlice<UInt8>, _ at: inout Int) -> ArraySlice<UInt8>? {
        guard let end = message[at...].firstIndex(of: 10), end > at, message[end - 1] == 13 else {
            return nil
        }
        defer { at = end + 1 }
        return message[at..<end - 1]
    }

    private static func check(_ holds: Bool, _ promise: @autoclosure () -> String) {
        FuzzSupport.expect(holds, promise())
    }
}

extension String {
    fileprivate func trimming(while condition: (Character) -> Bool) -> Substring {
        var rest = self[...]
        while let first = rest.first, condition(first) { rest.removeFirst() }
        while let last = rest.last, condition(last) { rest.removeLast() }
        return rest
    }
}
