/// Bytes that the grammar names.
package enum Byte {
    package static let tab: UInt8 = 0x09
    package static let lf: UInt8 = 0x0A
    package static let cr: UInt8 = 0x0D
    package static let space: UInt8 = 0x20
    package static let quote: UInt8 = 0x22
    package static let percent: UInt8 = 0x25
    package static let asterisk: UInt8 = 0x2A
    package static let comma: UInt8 = 0x2C
    package static let slash: UInt8 = 0x2F
    package static let colon: UInt8 = 0x3A
    package static let semicolon: UInt8 = 0x3B
    package static let equals: UInt8 = 0x3D
    package static let question: UInt8 = 0x3F
    package static let openBracket: UInt8 = 0x5B
    package static let backslash: UInt8 = 0x5C
    package static let closeBracket: UInt8 = 0x5D

    /// The value of a hexadecimal digit of either case, `nil` for any other byte.
    @inline(__always)
    static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }
}

/// Comparing bytes of a message with words of the grammar.
package enum Words {
    /// `true` if `bytes[range]` is `word`, letters of either case; `word` is given in small letters.
    @inline(__always)
    package static func equal(
        _ bytes: Span<UInt8>, _ range: Range<Int>, _ word: StaticString
    ) -> Bool {
        guard range.count == word.utf8CodeUnitCount, range.upperBound <= bytes.count else {
            return false
        }
        let start = word.utf8Start
        for offset in 0..<range.count {
            let byte = bytes[range.lowerBound + offset]
            let lower = byte &- 0x41 < 26 ? byte | 0x20 : byte
            if lower != start[offset] { return false }
        }
        return true
    }

    /// `range` without spaces and tabs at its ends (RFC 9110 §5.6.3, OWS).
    package static func trimmed(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
        var low = range.lowerBound
        var high = range.upperBound
        while low < high, bytes[low] == Byte.space || bytes[low] == Byte.tab { low += 1 }
        while low < high, bytes[high - 1] == Byte.space || bytes[high - 1] == Byte.tab {
            high -= 1
        }
        return low..<high
    }

    /// Calls `member` with each member of a comma-separated list (RFC 9110 §5.6.1), empty ones
    /// included, until it answers `false`.
    static func forEachMember(
        _ bytes: Span<UInt8>, _ range: Range<Int>, _ member: (Range<Int>) -> Bool
    ) {
        var start = range.lowerBound
        for position in range where bytes[position] == Byte.comma {
            if !member(trimmed(bytes, start..<position)) { return }
            start = position + 1
        }
        _ = member(trimmed(bytes, start..<range.upperBound))
    }
}
