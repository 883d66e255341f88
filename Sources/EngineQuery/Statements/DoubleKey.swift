/// Doubles as unsigned numbers in their order: a search for a rank goes by their upper bits.
enum DoubleKey {
    /// Bits of a key.
    static let bits = 64

    /// The bits of a number, an expression. In 18.16 only the bytes of a text can be read as other than they
    /// are.
    static func bits(of value: String) -> String {
        // What is added has −0 be 0.
        "reinterpretAsUInt64(reinterpretAsString(toFloat64(\(value)) + 0))"
    }

    /// The key of a double of which `bits` are the bits.
    static func key(ofBits bits: String) -> String {
        "if(\(bits) >= \(sign), bitNot(\(bits)), bitOr(\(bits), toUInt64(\(sign))))"
    }

    /// The double of a key.
    static func double(_ key: UInt64) -> Double {
        Double(bitPattern: key >= sign ? key ^ sign : ~key)
    }

    private static let sign: UInt64 = 1 << 63
}
