/// A string in the text that is scanned: where its bytes stand, without the quotes. Only the scanner
/// makes one, so it is well-formed.
package struct Text: Hashable, Sendable {
    package let start: Int
    package let end: Int
    /// Its bytes are not the string itself: `unescape` makes that.
    package let hasEscapes: Bool

    init(start: Int, end: Int, hasEscapes: Bool) {
        self.start = start
        self.end = end
        self.hasEscapes = hasEscapes
    }

    /// Bytes in the text, escapes as they stand: never fewer than the string itself has.
    package var count: Int { end - start }

    /// Where its bytes stand.
    package var range: Range<Int> { start..<end }

    /// Writes the string itself from the start of `scratch`, which grows if it must. It is UTF-8, unless
    /// the scanner took `Scanner.Escapes.units`: half of a surrogate pair becomes the three bytes
    /// that UTF-8 has for no scalar (U+D800 is `ED A0 80`).
    /// - Returns: how many bytes of `scratch` are valid.
    package func unescape(_ bytes: Span<UInt8>, into scratch: inout [UInt8]) -> Int {
        if scratch.count < count { scratch = [UInt8](repeating: 0, count: count) }
        return unescape(bytes, to: 0, in: &scratch)
    }

    /// Appends the string itself.
    package func unescape(_ bytes: Span<UInt8>, appendingTo out: inout [UInt8]) {
        let start = out.count
        out += repeatElement(0, count: count)
        let end = unescape(bytes, to: start, in: &out)
        out.removeLast(out.count - end)
    }

    /// Writes the string itself from `to` on, where there is room for `count` bytes.
    /// - Returns: where it ends.
    private func unescape(_ bytes: Span<UInt8>, to start: Int, in out: inout [UInt8]) -> Int {
        var to = start
        var at = self.start
        while at < end {
            let byte = bytes[at]
            if byte != UInt8(ascii: "\\") {
                out[to] = byte
                to += 1
                at += 1
                continue
            }
            let (code, length) = Text.escape(bytes, at: at)
            at += length
            // An escape is never shorter than what it stands for, so `to` gains nothing on `at`.
            if let scalar = Unicode.Scalar(code) {
                for unit in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
                    out[to] = unit
                    to += 1
                }
            } else {
                out[to] = 0xed
                out[to + 1] = 0x80 | UInt8(truncatingIfNeeded: code >> 6) & 0x3f
                out[to + 2] = 0x80 | UInt8(truncatingIfNeeded: code) & 0x3f
                to += 3
            }
        }
        return to
    }

    /// The string itself.
    package func string(in text: [UInt8]) -> String {
        var scratch: [UInt8] = []
        let count = text.withUnsafeBufferPointer { unescape($0.span, into: &scratch) }
        return String(decoding: scratch[..<count], as: UTF8.self)
    }

    /// The scalar for which the escape at that offset stands, or the half of a surrogate pair, and the
    /// escape's length. The scanner has checked it.
    private static func escape(_ bytes: Span<UInt8>, at: Int) -> (UInt32, Int) {
        let kind = bytes[at + 1]
        switch kind {
        case UInt8(ascii: "b"): return (0x08, 2)
        case UInt8(ascii: "f"): return (0x0c, 2)
        case UInt8(ascii: "n"): return (0x0a, 2)
        case UInt8(ascii: "r"): return (0x0d, 2)
        case UInt8(ascii: "t"): return (0x09, 2)
        case UInt8(ascii: "u"):
            let first = hex4(bytes, at: at + 2)
            guard (0xd800...0xdbff).contains(first),
                let second = Scanner.secondHalf(bytes, at: at + 6)
            else { return (first, 6) }
            return (0x10000 + (first & 0x3ff) << 10 + second & 0x3ff, 12)
        default: return (UInt32(kind), 2)
        }
    }

    private static func hex4(_ bytes: Span<UInt8>, at: Int) -> UInt32 {
        var value: UInt32 = 0
        for index in at..<at + 4 { value = value << 4 | UInt32(Scanner.nibble(bytes[index]) ?? 0) }
        return value
    }
}
