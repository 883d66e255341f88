/// A short decimal in eight bytes, from which its text comes back byte by byte: `12`, `-0.5`, `1450.25`. Upper 56
/// bits: its digits as a whole number; lower 8: how many of them stand after the point.
struct DecimalText {
    private let word: Int64

    /// A JSON number may have so many digits: the double nearest to it is the quotient of two that are exact.
    private static let maxDigits = 15
    private static let maxWhole: UInt64 = 1_000_000_000_000_000
    /// Bytes of the longest text: a sign, a point, and a 0 before it.
    private static let maxLength = maxDigits + 3

    /// Nil for any text that would not come back as it is: no number, one with an exponent, with zeros that
    /// say nothing, or with more digits.
    init?(_ text: Span<UInt8>) {
        let start = !text.isEmpty && text[0] == UInt8(ascii: "-") ? 1 : 0
        guard text.count > start, text.count <= Self.maxLength else { return nil }
        var digits: Int64 = 0
        var point = text.count
        for index in start..<text.count {
            let digit = text[index] &- UInt8(ascii: "0")
            if digit < 10 {
                digits = digits &* 10 &+ Int64(digit)
            } else if text[index] == UInt8(ascii: "."), point == text.count, index > start {
                point = index
            } else {
                return nil
            }
        }
        let after = max(0, text.count - point - 1)
        guard point - start + after <= Self.maxDigits, point != text.count - 1,
            text[start] != UInt8(ascii: "0") || point == start + 1,
            after == 0 || text[text.count - 1] != UInt8(ascii: "0"), start == 0 || digits > 0
        else { return nil }
        word = (start == 0 ? digits : -digits) << 8 | Int64(after)
    }

    /// One that was written: nil where no text has such parts.
    init?(digits: Int64, after: Int) {
        guard after >= 0, after <= Self.maxDigits, digits.magnitude < Self.maxWhole else {
            return nil
        }
        word = digits << 8 | Int64(after)
    }

    /// Its digits as a whole number.
    var digits: Int64 { word >> 8 }

    /// How many of them stand after the point.
    var after: Int { Int(word & 0xff) }

    /// The double nearest to it: a whole number and a power of ten that both are doubles, so that their quotient
    /// is rounded once (Clinger, "How to read floating point numbers accurately", 1990).
    var number: Double { Double(word >> 8) / Self.powers[Int(word & 0xff)] }

    /// Calls `body` with its text.
    func withText<T>(_ body: (Span<UInt8>) -> T) -> T {
        var text = InlineArray<18, UInt8>(repeating: UInt8(ascii: "0"))
        let after = Int(word & 0xff)
        var (start, rest, written) = (text.count, (word >> 8).magnitude, 0)
        // A digit at least stands before the point.
        repeat {
            if written == after, after > 0 {
                start -= 1
                text[start] = UInt8(ascii: ".")
            }
            start -= 1
            text[start] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
            written += 1
        } while rest > 0 || written <= after
        if word < 0 {
            start -= 1
            text[start] = UInt8(ascii: "-")
        }
        return body(text.span.extracting(start..<text.count))
    }

    private static let powers: InlineArray<16, Double> = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ]
}
