import JSON

/// What texts of records may be, and what is made of values that are none.
enum StorableText {
    /// Whether it is UTF-8 without U+0000.
    static func isStorable(_ text: Span<UInt8>) -> Bool {
        guard (try? UTF8Span(validating: text)) != nil else { return false }
        for index in text.indices where text[index] == 0 { return false }
        return true
    }

    /// The length of the longest run of whole scalars from its beginning within a limit, bytes. Where it is not
    /// UTF-8 only a sequence that lies across the limit is left out.
    static func cut(_ text: Span<UInt8>, to limit: Int) -> Int {
        guard text.count > limit else { return text.count }
        // No sequence has more than three bytes after its first.
        for start in stride(from: limit - 1, through: max(0, limit - 3), by: -1)
        where text[start] & 0xc0 != 0x80 {
            return start + sequenceLength(text[start]) > limit ? start : limit
        }
        return limit
    }

    /// Bytes of the sequence that begins with that byte (RFC 3629 §4).
    private static func sequenceLength(_ first: UInt8) -> Int {
        switch first {
        case 0xc2...0xdf: 2
        case 0xe0...0xef: 3
        case 0xf0...0xf4: 4
        default: 1
        }
    }

    /// What a double that is no number is called.
    static func name(of value: Double) -> String {
        value.isNaN ? "NaN" : value > 0 ? "Infinity" : "-Infinity"
    }

    /// Appends base64 with padding (RFC 4648 §4).
    static func appendBase64(_ bytes: Span<UInt8>, to out: inout [UInt8]) {
        var index = 0
        while index < bytes.count {
            let count = min(3, bytes.count - index)
            var word = UInt32(0)
            for step in 0..<3 {
                word = word << 8 | (step < count ? UInt32(bytes[index + step]) : 0)
            }
            for step in 0..<4 {
                let digit = UInt8(truncatingIfNeeded: word >> UInt32(18 - 6 * step)) & 63
                out.append(step <= count ? base64Digit(digit) : UInt8(ascii: "="))
            }
            index += 3
        }
    }

    private static func base64Digit(_ value: UInt8) -> UInt8 {
        switch value {
        case 0..<26: UInt8(ascii: "A") + value
        case 26..<52: UInt8(ascii: "a") + value - 26
        case 52..<62: UInt8(ascii: "0") + value - 52
        case 62: UInt8(ascii: "+")
        default: UInt8(ascii: "/")
        }
    }

    /// The value of a digit of base64 or base64url; nil for any other byte.
    static func base64Value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): digit - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }

    /// The bytes for which base64 or base64url stands, padded or not (RFC 4648 §4, §5); nil for any other text.
    static func decodeBase64(_ text: Span<UInt8>) -> [UInt8]? {
        var count = text.count
        while count > 0, text.count - count < 2, text[count - 1] == UInt8(ascii: "=") { count -= 1 }
        guard count % 4 != 1, count == text.count || text.count % 4 == 0 else { return nil }
        var out: [UInt8] = []
        out.reserveCapacity(count / 4 * 3 + 2)
        var word: UInt32 = 0
        for index in 0..<count {
            guard let value = base64Value(text[index]) else { return nil }
            word = word << 6 | UInt32(value)
            if index % 4 == 3 {
                for shift: UInt32 in [16, 8, 0] {
                    out.append(UInt8(truncatingIfNeeded: word >> shift))
                }
                word = 0
            }
        }
        switch count % 4 {
        case 2: out.append(UInt8(truncatingIfNeeded: word >> 4))
        case 3:
            out.append(UInt8(truncatingIfNeeded: word >> 10))
            out.append(UInt8(truncatingIfNeeded: word >> 2))
        default: break
        }
        return out
    }
}
