import JSON

/// Scalars: of another form they are malformed.
extension JSONValues {
    func bool(_ token: Token, at scanner: borrowing Scanner) throws(Malformed) -> Bool {
        switch token.kind {
        case .true: return true
        case .false: return false
        default: throw scanner.wrongForm
        }
    }

    /// An integer, as a number or a string.
    /// - Returns: nil where 64 bits do not hold it
    mutating func signed(
        _ token: Token, _ bytes: Span<UInt8>, at scanner: borrowing Scanner
    ) throws(Malformed) -> Int64? {
        if let value = token.integer { return value }
        let number = try integer(token, bytes, at: scanner)
        guard let magnitude = number.magnitude else { return nil }
        guard number.isNegative else { return Int64(exactly: magnitude) }
        guard magnitude <= Int64.min.magnitude else { return nil }
        return Int64(truncatingIfNeeded: 0 &- magnitude)
    }

    /// An integer, as a number or a string; 0 where 64 bits do not hold it.
    mutating func unsigned(
        _ token: Token, _ bytes: Span<UInt8>, at scanner: borrowing Scanner
    ) throws(Malformed) -> UInt64 {
        let number = try integer(token, bytes, at: scanner)
        return number.isNegative ? 0 : number.magnitude ?? 0
    }

    /// An integer without its sign, nil where 64 bits do not hold it; and its sign.
    private typealias Integer = (magnitude: UInt64?, isNegative: Bool)

    private mutating func integer(
        _ token: Token, _ bytes: Span<UInt8>, at scanner: borrowing Scanner
    ) throws(Malformed) -> Integer {
        let found: Integer?
        switch token.kind {
        case .integer: found = (token.value.magnitude, token.value < 0)
        case .string, .hugeInteger, .decimal:
            found = Self.integer(bytes.extracting(token.start..<token.end))
        case .escapedString:
            let count = token.text?.unescape(bytes, into: &scratch) ?? 0
            found = Self.integer(scratch.span.extracting(0..<count))
        default: found = nil
        }
        guard let found else { throw scanner.wrongForm }
        return found
    }

    private static func integer(_ text: Span<UInt8>) -> Integer? {
        if let plain = digits(text) { return plain }
        guard let number = NumberText(text), number.isWhole(text) else { return nil }
        return (number.magnitude(text), number.isNegative)
    }

    /// Digits with or without a minus that 64 bits hold, which is what SDKs send; nil for any other text.
    private static func digits(_ text: Span<UInt8>) -> Integer? {
        let isNegative = text.count > 0 && text[0] == UInt8(ascii: "-")
        let first = isNegative ? 1 : 0
        guard text.count > first else { return nil }
        var value: UInt64 = 0
        for index in first..<text.count {
            let digit = text[index] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            let (tens, over) = value.multipliedReportingOverflow(by: 10)
            let (sum, beyond) = tens.addingReportingOverflow(UInt64(digit))
            if over || beyond { return nil }
            value = sum
        }
        return (value, isNegative)
    }

    /// A number, or a string of one or of `NaN`, `Infinity`, `-Infinity`; infinite beyond all doubles.
    mutating func double(
        _ token: Token, _ bytes: Span<UInt8>, at scanner: borrowing Scanner
    ) throws(Malformed) -> Double {
        switch token.kind {
        case .integer, .hugeInteger: return DecimalForm.double(token, bytes)
        case .decimal:
            guard !NumberText.hasLongExponent(bytes.extracting(token.start..<token.end)) else {
                throw scanner.wrongForm
            }
            return DecimalForm.double(token, bytes)
        case .string, .escapedString:
            let count = token.text?.unescape(bytes, into: &scratch) ?? 0
            guard let value = Self.double(scratch.span.extracting(0..<count)) else {
                throw scanner.wrongForm
            }
            return value
        default: throw scanner.wrongForm
        }
    }

    private static func double(_ text: Span<UInt8>) -> Double? {
        if let number = NumberText(text) {
            guard number.isJSON(text) else { return nil }
            return DecimalForm.double(text) ?? (number.isNegative ? -.infinity : .infinity)
        }
        return [Double.nan, .infinity, -.infinity].first { value in
            let name = StorableText.name(of: value).utf8
            return name.count == text.count
                && name.enumerated().allSatisfy { text[$0.offset] == $0.element }
        }
    }

    mutating func decoded(
        _ token: Token, _ bytes: Span<UInt8>, at scanner: borrowing Scanner
    ) throws(Malformed) -> [UInt8] {
        guard let text = token.text else { throw scanner.wrongForm }
        let count = text.unescape(bytes, into: &scratch)
        guard let content = StorableText.decodeBase64(scratch.span.extracting(0..<count)) else {
            throw scanner.wrongForm
        }
        return content
    }
}
