extension Scanner {
    /// A string; `position` is after its opening quote, then after the closing one.
    @inline(__always)
    mutating func string(_ bytes: Span<UInt8>) throws(Malformed) -> Text {
        let start = position
        let at = PlainText.end(of: bytes, from: start)
        if at < bytes.count, bytes[unchecked: at] == UInt8(ascii: "\"") {
            position = at &+ 1
            return Text(start: start, end: at, hasEscapes: false)
        }
        return try unusualString(bytes, start, plainEnd: at)
    }

    /// A string whose plain beginning is followed by an escape, by a byte beyond ASCII or by an error.
    @inline(never)
    private mutating func unusualString(
        _ bytes: Span<UInt8>, _ start: Int, plainEnd: Int
    ) throws(Malformed) -> Text {
        var at = plainEnd
        var hasEscapes = false
        while at < bytes.count {
            let byte = bytes[unchecked: at]
            if byte >= 0x80 {
                at = try Scanner.sequenceEnd(bytes, from: at)
                // Where one stands, another often follows.
                if at < bytes.count, bytes[unchecked: at] >= 0x80 { continue }
            } else if byte == UInt8(ascii: "\"") {
                position = at &+ 1
                return Text(start: start, end: at, hasEscapes: hasEscapes)
            } else if byte == UInt8(ascii: "\\") {
                at = try escapeEnd(bytes, from: at)
                hasEscapes = true
            } else {
                throw Malformed(offset: at, rule: byte == 0 ? .zero : .control)
            }
            at = PlainText.end(of: bytes, from: at)
        }
        throw Malformed(offset: at, rule: .truncated)
    }

    /// The offset after the UTF-8 sequence that begins there with a byte beyond ASCII (RFC 3629 §4).
    private static func sequenceEnd(_ bytes: Span<UInt8>, from: Int) throws(Malformed) -> Int {
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xbf
        switch bytes[from] {
        case 0xc2...0xdf: length = 2
        case 0xe0: (length, second) = (3, 0xa0...0xbf)
        case 0xed: (length, second) = (3, 0x80...0x9f)
        case 0xe1...0xef: length = 3
        case 0xf0: (length, second) = (4, 0x90...0xbf)
        case 0xf4: (length, second) = (4, 0x80...0x8f)
        case 0xf1...0xf3: length = 4
        default: throw Malformed(offset: from, rule: .encoding)
        }
        for index in from + 1..<from + length {
            guard index < bytes.count else { throw Malformed(offset: index, rule: .truncated) }
            guard second.contains(bytes[index]) else {
                throw Malformed(offset: index, rule: .encoding)
            }
            second = 0x80...0xbf
        }
        return from + length
    }

    /// The offset after the escape whose backslash is there; a pair of surrogates is one escape.
    private func escapeEnd(_ bytes: Span<UInt8>, from: Int) throws(Malformed) -> Int {
        guard from + 1 < bytes.count else { throw Malformed(offset: from + 1, rule: .truncated) }
        switch bytes[from + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
            UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return from + 2
        case UInt8(ascii: "u"): break
        default: throw Malformed(offset: from + 1, rule: .escape)
        }
        let unit = try Scanner.hexUnit(bytes, from: from + 2)
        switch unit {
        case 0 where escapes == .storable: throw Malformed(offset: from, rule: .zero)
        case 0xdc00...0xdfff where escapes != .units:
            throw Malformed(offset: from, rule: .surrogate)
        case 0xd800...0xdbff where escapes == .units:
            return Scanner.secondHalf(bytes, at: from + 6) == nil ? from + 6 : from + 12
        case 0xd800...0xdbff: break
        default: return from + 6
        }
        for (index, byte) in [(from + 6, UInt8(ascii: "\\")), (from + 7, UInt8(ascii: "u"))] {
            guard index < bytes.count else { throw Malformed(offset: index, rule: .truncated) }
            guard bytes[index] == byte else { throw Malformed(offset: from, rule: .surrogate) }
        }
        guard case 0xdc00...0xdfff = try Scanner.hexUnit(bytes, from: from + 8) else {
            throw Malformed(offset: from, rule: .surrogate)
        }
        return from + 12
    }

    /// The second half of a surrogate pair; nil where another escape stands there, or none.
    static func secondHalf(_ bytes: Span<UInt8>, at: Int) -> UInt32? {
        guard bytes.count - at >= 6, bytes[at] == UInt8(ascii: "\\"),
            bytes[at + 1] == UInt8(ascii: "u")
        else { return nil }
        var unit: UInt32 = 0
        for index in at + 2..<at + 6 {
            guard let digit = nibble(bytes[index]) else { return nil }
            unit = unit << 4 | UInt32(digit)
        }
        return (0xdc00...0xdfff).contains(unit) ? unit : nil
    }

    private static func hexUnit(_ bytes: Span<UInt8>, from: Int) throws(Malformed) -> UInt32 {
        var value: UInt32 = 0
        for index in from..<from + 4 {
            guard index < bytes.count else { throw Malformed(offset: index, rule: .truncated) }
            guard let digit = nibble(bytes[index]) else {
                throw Malformed(offset: index, rule: .escape)
            }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    /// What a hexadecimal digit of either case stands for.
    static func nibble(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
