/// Hexadecimal digits in lower case.
enum Hex {
    private static let digits: StaticString = "0123456789abcdef"

    /// Appends eight digits.
    static func append(_ value: UInt32, to out: inout [UInt8]) {
        for shift in stride(from: 28, through: 0, by: -4) {
            out.append(digits.utf8Start[Int(value >> UInt32(shift) & 15)])
        }
    }

    /// Appends sixteen digits.
    static func append(_ value: UInt64, to out: inout [UInt8]) {
        append(UInt32(truncatingIfNeeded: value >> 32), to: &out)
        append(UInt32(truncatingIfNeeded: value), to: &out)
    }

    /// Whether a text is the eight digits of a value, as `append` writes them.
    static func isText(_ text: some Sequence<UInt8>, of value: UInt32) -> Bool {
        var digits: [UInt8] = []
        append(value, to: &digits)
        return text.elementsEqual(digits)
    }

    /// What at most sixteen digits say; nil for anything else.
    static func value(_ text: some Collection<UInt8>) -> UInt64? {
        guard (1...16).contains(text.count) else { return nil }
        var value: UInt64 = 0
        for byte in text {
            guard let digit = digit(byte) else { return nil }
            value = value << 4 | UInt64(digit)
        }
        return value
    }

    /// What a digit of either case stands for.
    static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

/// Decimal digits.
enum Decimal {
    /// What digits alone say, up to 2^53−1, which no sum of a few of them takes beyond 64 bits; nil for
    /// anything else.
    static func value(_ text: some Collection<UInt8>) -> Int64? {
        guard (1...16).contains(text.count) else { return nil }
        var value: Int64 = 0
        for byte in text {
            guard case UInt8(ascii: "0")...UInt8(ascii: "9") = byte else { return nil }
            value = value * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        return value <= EventRule.maxInteger ? value : nil
    }
}
