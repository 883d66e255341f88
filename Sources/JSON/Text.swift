/// A string in the text that is scanned: where its bytes stand, without the quotes. It is valid:
/// only the scanner makes one.
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

    /// Writes the string itself from the start of `scratch`, which grows if it must.
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
            let (scalar, length) = Text.escape(bytes, at: at)
            at += length
            // An escape is never shorter than what it stands for, so `to` gains nothing on `at`.
            for unit in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
                out[to] = unit
                to += 1
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

    /// The scalar for which the escape at that offset stands, and the escape's length. The scanner
    /// has checked it.
    private static func escape(_ bytes: Span<UInt8>, at: Int) -> (Unicode.Scalar, Int) {
        let kind = bytes[at + 1]
        switch kind {
        case UInt8(ascii: "b"): return ("\u{8}", 2)
        case UInt8(ascii: "f"): return ("\u{c}", 2)
        case UInt8(ascii: "n"): return ("\n", 2)
        case UInt8(ascii: "r"): return ("\r", 2)
        case UInt8(ascii: "t"): return ("\t", 2)
        case UInt8(ascii: "u"):
            let first = hex4(bytes, at: at + 2)
            if let scalar = Unicode.Scalar(first) { return (scalar, 6) }
            let second = hex4(bytes, at: at + 8)
            let code = 0x10000 + (first & 0x3ff) << 10 + second & 0x3ff
            return (Unicode.Scalar(code) ?? "\u{fffd}", 12)
        default: return (Unicode.Scalar(kind), 2)
        }
    }

    private static func hex4(_ bytes: Span<UInt8>, at: Int) -> UInt32 {
        var value: UInt32 = 0
        for index in at..<at + 4 { value = value << 4 | UInt32(Scanner.nibble(bytes[index]) ?? 0) }
        return value
    }
}
