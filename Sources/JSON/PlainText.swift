/// Text that stands in JSON as it is: ASCII without quotes, backslashes and control characters.
package enum PlainText {
    /// The first byte from there that is a quote, a backslash, a control character or beyond
    /// ASCII; the text's end if there is none.
    @inline(__always)
    package static func end(of bytes: Span<UInt8>, from: Int) -> Int {
        var at = from
        let raw = bytes.bytes
        while bytes.count &- at >= 8 {
            let word = raw.word(at)
            // A high bit is set where a byte is looked for; a borrow can set wrong ones only
            // above the first right one, and only the lowest counts.
            let quote = word ^ 0x2222_2222_2222_2222
            let slash = word ^ 0x5c5c_5c5c_5c5c_5c5c
            let ones: UInt64 = 0x0101_0101_0101_0101
            let hits =
                ((quote &- ones) & ~quote) | ((slash &- ones) & ~slash)
                | ((word &- 0x2020_2020_2020_2020) & ~word) | word
            let found = hits & 0x8080_8080_8080_8080
            if found != 0 { return at &+ found.trailingZeroBitCount >> 3 }
            at &+= 8
        }
        while at < bytes.count {
            let byte = bytes[unchecked: at]
            if byte < 0x20 || byte >= 0x80 || byte == UInt8(ascii: "\"")
                || byte == UInt8(ascii: "\\")
            {
                return at
            }
            at &+= 1
        }
        return at
    }
}
