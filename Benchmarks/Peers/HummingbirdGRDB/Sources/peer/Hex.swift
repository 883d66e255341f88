extension [UInt8] {
    /// The octets that hex digits stand for; nil where they are none.
    init?(hex: String) {
        let digits = hex.utf8.map { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count.isMultiple(of: 2) else { return nil }
        self = []
        for place in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[place], let low = digits[place + 1] else { return nil }
            append(UInt8(high << 4 | low))
        }
    }
}
