/// Numbers as RFC 8785 §3.2.2.3 writes them, which is how ECMAScript does (Number::toString): the
/// shortest digits that read back as the same double.
package enum DecimalForm {
    /// Room that any double needs.
    static let maxLength = 32

    /// Writes a number's form from the start of `scratch`, which grows if it must: `-0` becomes
    /// `0`, `1.50` becomes `1.5`, `1e3` becomes `1000`. An integer keeps all its digits.
    /// - Returns: how many bytes of `scratch` are valid; nil if the number is beyond all doubles.
    package static func canonical(
        _ number: Token, _ bytes: Span<UInt8>, into scratch: inout [UInt8]
    ) -> Int? {
        var end = number.end
        if number.kind == .decimal {
            guard let short = shortEnd(number, bytes) else {
                return rounded(number, bytes, into: &scratch)
            }
            end = short
        }
        var start = number.start
        if bytes[start] == UInt8(ascii: "-"), end == start + 2,
            bytes[start + 1] == UInt8(ascii: "0")
        {
            start += 1
        }
        if scratch.count < end - start { scratch = [UInt8](repeating: 0, count: end - start) }
        for index in start..<end { scratch[index - start] = bytes[index] }
        return end - start
    }

    /// A number's value, rounded to the nearest double; infinite, with the number's sign, beyond all of them.
    package static func double(_ number: Token, _ bytes: Span<UInt8>) -> Double {
        let beyond = bytes[number.start] == UInt8(ascii: "-") ? -Double.infinity : .infinity
        return double(bytes.extracting(number.start..<number.end)) ?? beyond
    }

    /// The double nearest to what a JSON number says, 0 for −0; nil for a text that is no number, or beyond all
    /// doubles.
    package static func double(_ text: Span<UInt8>) -> Double? {
        guard let first = text.isEmpty ? nil : text[0],
            first == UInt8(ascii: "-") || first &- UInt8(ascii: "0") < 10
        else { return nil }
        if let value = plainValue(text) { return value }
        let text = text.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        guard let value = Double(text), value.isFinite else { return nil }
        return value + 0
    }

    /// The value of a number without an exponent whose digits are an integer of 64 bits. Nil for any other text.
    private static func plainValue(_ text: Span<UInt8>) -> Double? {
        let isNegative = text[0] == UInt8(ascii: "-")
        let first = isNegative ? 1 : 0
        // A point, and so many digits after it that there is a power for them.
        guard text.count > first, text.count - first <= powersOfFive.count else { return nil }
        var digits: UInt64 = 0
        var point: Int?
        for index in first..<text.count {
            let digit = text[index] &- UInt8(ascii: "0")
            if digit < 10 {
                let (tens, over) = digits.multipliedReportingOverflow(by: 10)
                let (sum, beyond) = tens.addingReportingOverflow(UInt64(digit))
                if over || beyond { return nil }
                digits = sum
            } else if text[index] == UInt8(ascii: "."), point == nil {
                point = index
            } else {
                return nil
            }
        }
        let value = quotient(digits, decimals: point.map { text.count - 1 - $0 } ?? 0)
        return isNegative && digits > 0 ? -value : value
    }

    /// The double nearest to `digits` / 10^`decimals`. The quotient by the power of five has 63 bits or 64, of which 53 are
    /// left once it is rounded; whether there is a remainder decides between two that are as near. The power of two
    /// is exact.
    private static func quotient(_ digits: UInt64, decimals: Int) -> Double {
        guard digits > 0 else { return 0 }
        guard decimals > 0 else { return Double(digits) }
        let divisor = powersOfFive[decimals]
        let (zeros, free) = (digits.leadingZeroBitCount, divisor.leadingZeroBitCount)
        let shifted = digits << UInt64(zeros)
        let (bits, remainder) = (divisor << UInt64(free)).dividingFullWidth(
            (shifted >> 1, shifted << 63))
        let dropped = UInt64(64 - bits.leadingZeroBitCount - 53)
        var kept = bits >> dropped
        let rest = bits & (1 << dropped - 1)
        let half: UInt64 = 1 << (dropped - 1)
        if rest > half || rest == half && (remainder > 0 || kept & 1 == 1) { kept += 1 }
        return Double(
            sign: .plus, exponent: free - zeros - decimals - 63 + Int(dropped),
            significand: Double(kept))
    }

    /// Those that 64 bits hold.
    private static let powersOfFive: [UInt64] = (0..<27).reduce(into: [1]) { powers, _ in
        powers.append(powers[powers.count - 1] * 5)
    }

    /// Where the form of a plain fraction ends in the text itself: a decimal of at most 15 digits
    /// is what its double is written as, but for zeros at its end. Nil if the number is not of that
    /// kind.
    private static func shortEnd(_ number: Token, _ bytes: Span<UInt8>) -> Int? {
        guard number.end - number.start <= 16 else { return nil }
        var point = number.start
        while bytes[point] != UInt8(ascii: ".") {
            if bytes[point] | 0x20 == UInt8(ascii: "e") { return nil }
            point += 1
        }
        var end = point
        var firstDigit: Int?
        for index in point + 1..<number.end {
            let byte = bytes[index]
            if byte | 0x20 == UInt8(ascii: "e") { return nil }
            if byte != UInt8(ascii: "0") {
                end = index + 1
                firstDigit = firstDigit ?? index
            }
        }
        // Below 10^-6 the form has an exponent.
        if bytes[point - 1] == UInt8(ascii: "0"), let firstDigit, firstDigit - point > 6 {
            let isBelowOne =
                point - number.start == 1
                || bytes[number.start] == UInt8(ascii: "-") && point - number.start == 2
            if isBelowOne { return nil }
        }
        return end
    }

    private static func rounded(
        _ number: Token, _ bytes: Span<UInt8>, into scratch: inout [UInt8]
    ) -> Int? {
        let value = double(number, bytes)
        guard value.isFinite else { return nil }
        var form: [UInt8] = []
        append(value, to: &form)
        if scratch.count < form.count { scratch = [UInt8](repeating: 0, count: maxLength) }
        for index in form.indices { scratch[index] = form[index] }
        return form.count
    }

    /// Appends the form of a finite double.
    package static func append(_ value: Double, to out: inout [UInt8]) {
        precondition(value.isFinite)
        if value == 0 {
            out.append(UInt8(ascii: "0"))
            return
        }
        if value < 0 { out.append(UInt8(ascii: "-")) }
        // `description` has the shortest digits too, but an exponent in other cases.
        var description = value.magnitude.description
        description.withUTF8 { text in
            var end = 0
            while end < text.count, text[end] != UInt8(ascii: "e") { end += 1 }
            guard end < text.count else {
                let isWhole = end > 2 && text[end - 2] == UInt8(ascii: ".") && text[end - 1] == zero
                out += UnsafeBufferPointer(rebasing: text[..<(isWhole ? end - 2 : end)])
                return
            }
            // One digit, the others after a point, a sign and the exponent's digits.
            var exponent = 0
            for index in end + 2..<text.count {
                exponent = exponent * 10 + Int(text[index] &- zero)
            }
            layOut(
                text[0], UnsafeBufferPointer(rebasing: text[..<end].dropFirst(2)),
                point: 1 + (text[end + 1] == UInt8(ascii: "-") ? -exponent : exponent), into: &out)
        }
    }

    /// ECMA-262, Number::toString: `first` and `others` are the digits of its s, `point` is its n.
    private static func layOut(
        _ first: UInt8, _ others: UnsafeBufferPointer<UInt8>, point: Int, into out: inout [UInt8]
    ) {
        switch point {
        case 1 + others.count...21:
            out.append(first)
            out += others
            for _ in 1 + others.count..<point { out.append(zero) }
        case 1...21:
            out.append(first)
            out += UnsafeBufferPointer(rebasing: others[..<(point - 1)])
            out.append(UInt8(ascii: "."))
            out += UnsafeBufferPointer(rebasing: others[(point - 1)...])
        case -5...0:
            out.append(zero)
            out.append(UInt8(ascii: "."))
            for _ in point..<0 { out.append(zero) }
            out.append(first)
            out += others
        default:
            out.append(first)
            if !others.isEmpty {
                out.append(UInt8(ascii: "."))
                out += others
            }
            out.append(UInt8(ascii: "e"))
            out.append(UInt8(ascii: point > 0 ? "+" : "-"))
            Writer.append(Int64((point - 1).magnitude), to: &out)
        }
    }

    private static let zero = UInt8(ascii: "0")
}
