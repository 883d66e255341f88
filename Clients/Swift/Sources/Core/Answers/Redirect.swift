/// Shortens the target of a redirect for the log (client.md §5). The server has chosen it, so it may hold a password
/// or a token, and have any length.
enum Redirect {
    /// The most bytes that are shown, without the ellipsis.
    static let maxLength = 120

    /// Scheme, host, port and path of a `Location`; `…` stands for the rest. Nil if it is neither an HTTP URL nor a
    /// path.
    static func target(_ location: String) -> String? {
        let text = Array(location.utf8)
        var shown: [UInt8] = []
        var path = text[...]
        if let start = authority(in: text) {
            let end = text[start...].firstIndex(where: endsAuthority) ?? text.endIndex
            // A user's name and password end at the last @.
            let host = text[start..<end].lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? start
            let plain = text[host..<end].prefix(while: isPartOfHost)
            guard !plain.isEmpty else { return nil }
            shown = Array(text[..<start] + plain)
            path = plain.endIndex < end ? [] : text[end...]
        } else if text.first != UInt8(ascii: "/") {
            return nil
        }
        let plain = path.prefix(while: isPartOfPath)
        let whole = shown + plain
        let isWhole = whole.count <= maxLength && plain.endIndex == text.endIndex
        return String(decoding: whole.prefix(maxLength), as: UTF8.self) + (isWhole ? "" : "…")
    }

    /// The index at which the authority begins (RFC 3986 §3.2); nil without one.
    private static func authority(in text: [UInt8]) -> Int? {
        let lower = text.prefix(8).map { letters.contains($0 | 0x20) ? $0 | 0x20 : $0 }
        for opening in ["https://", "http://", "//"] where lower.starts(with: opening.utf8) {
            return opening.utf8.count
        }
        return nil
    }

    private static var letters: ClosedRange<UInt8> { UInt8(ascii: "a")...UInt8(ascii: "z") }
    private static var digits: ClosedRange<UInt8> { UInt8(ascii: "0")...UInt8(ascii: "9") }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: "\\"), UInt8(ascii: "?"), UInt8(ascii: "#"): true
        default: false
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        letters.contains(byte | 0x20) || digits.contains(byte) || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
    }

    private static func isPartOfHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"): true
        default: isPlain(byte)
        }
    }

    private static func isPartOfPath(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: "~"), UInt8(ascii: "%"): true
        default: isPlain(byte)
        }
    }
}
