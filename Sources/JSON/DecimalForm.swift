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
        if let exact = exactQuotient(text) { return exact }
        let text = text.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        guard let value = Double(text), value.isFinite else { return nil }
        return value + 0
    }

    /// The value of a plain number of few digits: a whole number and a power of ten that both are doubles,
    /// so that their quotient is rounded once (Clinger, "How to read floating point numbers accurately", 1990).
    /// Nil for any other text.
    private static func exactQuotient(_ text: Span<UInt8>) -> Double? {
        let isNegative = text[0] == UInt8(ascii: "-")
        // Of 16 characters one may be the point; the power of ten is 10^15 at most then.
        guard text.count <= 16 + (isNegative ? 1 : 0), text.count > (isNegative ? 1 : 0) else {
            return nil
        }
        var digits: Int64 = 0
        var point: Int?
        for index in (isNegative ? 1 : 0)..<text.count {
            let digit = text[index] &- UInt8(ascii: "0")
            if digit < 10 {
                digits = digits * 10 + Int64(digit)
            } else if text[index] == UInt8(ascii: "."), point == nil {
                point = index
            } else {
                return nil
            }
        }
        guard digits <= 1 << 53 else { return nil }
        let value = Double(isNegative ? -digits : digits)
        return point.map { value / powers[text.count - 1 - $0] } ?? value
    }

    /// Powers of ten.
    private static let powers: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ]

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
        // `description` has the shortest digits too, only put differently.
        var digits: [UInt8] = []
        var pointAt = 0
        var exponent = 0
        var isAfterPoint = false
        var text = value.magnitude.description.utf8[...]
        while let byte = text.popFirst() {
            if byte == UInt8(ascii: ".") {
                isAfterPoint = true
            } else if byte == UInt8(ascii: "e") {
                exponent = Int(String(Substring(text))) ?? 0
                break
            } else {
                digits.append(byte)
                if !isAfterPoint { pointAt += 1 }
            }
        }
        let zeros = digits.prefix { $0 == UInt8(ascii: "0") }.count
        digits.removeFirst(zeros)
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        layOut(digits, point: pointAt - zeros + exponent, into: &out)
    }

    /// ECMA-262, Number::toString: `digits` are its s, their count its k, `point` its n.
    private static func layOut(_ digits: [UInt8], point: Int, into out: inout [UInt8]) {
        let zero = UInt8(ascii: "0")
        switch point {
        case digits.count...21:
            out += digits
            out += repeatElement(zero, count: point - digits.count)
        case 1...21:
            out += digits[..<point]
            out.append(UInt8(ascii: "."))
            out += digits[point...]
        case -5...0:
            out += [zero, UInt8(ascii: ".")]
            out += repeatElement(zero, count: -point)
            out += digits
        default:
            out.append(digits[0])
            if digits.count > 1 {
                out.append(UInt8(ascii: "."))
                out += digits[1...]
            }
            out += [UInt8(ascii: "e"), UInt8(ascii: point > 0 ? "+" : "-")]
            out += String((point - 1).magnitude).utf8
        }
    }
}
