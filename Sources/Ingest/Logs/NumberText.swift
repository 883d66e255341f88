/// A number by its text (RFC 8259 §6), whatever it is worth. Before its digits zeros may stand, as in strings of
/// digits.
struct NumberText {
    let isNegative: Bool
    /// Where its digits stand, and the point if it has one.
    private let digits: Range<Int>
    /// Where the point stands; after the digits where it has none.
    private let point: Int
    private let exponent: Int

    /// An exponent may have so many digits.
    private static let maxExponentDigits = 3

    /// Nil for a text that is no number, or has a longer exponent.
    init?(_ text: Span<UInt8>) {
        isNegative = text.count > 0 && text[0] == UInt8(ascii: "-")
        let first = isNegative ? 1 : 0
        point = Self.digitsEnd(text, from: first)
        guard point > first else { return nil }
        var end = point
        if end < text.count, text[end] == UInt8(ascii: ".") {
            end = Self.digitsEnd(text, from: point + 1)
            guard end > point + 1 else { return nil }
        }
        digits = first..<end
        guard let exponent = Self.exponent(text, from: end) else { return nil }
        self.exponent = exponent
    }

    private static func digitsEnd(_ text: Span<UInt8>, from: Int) -> Int {
        var at = from
        while at < text.count, text[at] &- UInt8(ascii: "0") < 10 { at += 1 }
        return at
    }

    /// What follows the digits: nothing, or an exponent that ends the text.
    private static func exponent(_ text: Span<UInt8>, from: Int) -> Int? {
        guard from < text.count else { return 0 }
        guard text[from] | 0x20 == UInt8(ascii: "e") else { return nil }
        var at = from + 1
        var isNegative = false
        if at < text.count, text[at] == UInt8(ascii: "+") || text[at] == UInt8(ascii: "-") {
            isNegative = text[at] == UInt8(ascii: "-")
            at += 1
        }
        let end = digitsEnd(text, from: at)
        guard end == text.count, (1...maxExponentDigits).contains(end - at) else { return nil }
        var value = 0
        while at < end {
            value = value * 10 + Int(text[at] &- UInt8(ascii: "0"))
            at += 1
        }
        return isNegative ? -value : value
    }

    /// Whether the exponent of a number, which is well-formed, is longer than one may be.
    static func hasLongExponent(_ text: Span<UInt8>) -> Bool {
        var at = text.count
        while at > 0, text[at - 1] &- UInt8(ascii: "0") < 10 { at -= 1 }
        guard text.count - at > maxExponentDigits, at > 1 else { return false }
        return text[at - 1] != UInt8(ascii: ".")
    }

    /// Whether JSON has such a number: no zero before its other digits.
    func isJSON(_ text: Span<UInt8>) -> Bool {
        point - digits.lowerBound == 1 || text[digits.lowerBound] != UInt8(ascii: "0")
    }

    /// Digits before the point, once the exponent has moved it.
    private var wholeCount: Int { max(0, point - digits.lowerBound + exponent) }

    /// The value of its digit of that index; beyond the last one it is 0.
    private func digit(_ index: Int, _ text: Span<UInt8>) -> UInt8 {
        let ahead = digits.lowerBound + index
        let offset = ahead < point ? ahead : ahead + 1
        return offset < digits.upperBound ? text[offset] &- UInt8(ascii: "0") : 0
    }

    /// The index of its first digit from there on that is not 0; nil where there is none.
    private func nonZero(from start: Int, _ text: Span<UInt8>) -> Int? {
        var index = start
        while index < digits.count {
            if digit(index, text) != 0 { return index }
            index += 1
        }
        return nil
    }

    /// Whether it is an integer.
    func isWhole(_ text: Span<UInt8>) -> Bool { nonZero(from: wholeCount, text) == nil }

    /// The integer without its sign; nil where 64 bits do not hold it.
    func magnitude(_ text: Span<UInt8>) -> UInt64? {
        guard let first = nonZero(from: 0, text) else { return 0 }
        var value: UInt64 = 0
        for index in first..<max(first, wholeCount) {
            let (tens, over) = value.multipliedReportingOverflow(by: 10)
            let (sum, beyond) = tens.addingReportingOverflow(UInt64(digit(index, text)))
            if over || beyond { return nil }
            value = sum
        }
        return value
    }

    /// Appends the integer with its sign and all its digits, or as many of them as there is room for.
    /// - Parameter room: bytes, from 1
    func appendInteger(_ text: Span<UInt8>, to out: inout [UInt8], room: Int) {
        guard let first = nonZero(from: 0, text), first < wholeCount else {
            return out.append(UInt8(ascii: "0"))
        }
        if isNegative { out.append(UInt8(ascii: "-")) }
        let end = min(wholeCount, first + room - (isNegative ? 1 : 0))
        let written = max(first, min(end, digits.count))
        for index in first..<written { out.append(UInt8(ascii: "0") &+ digit(index, text)) }
        // What the exponent adds.
        out.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: max(0, end - written)))
    }
}
