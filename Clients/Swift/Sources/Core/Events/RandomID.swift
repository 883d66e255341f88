/// A UUID of bits that are given: the installation's id, a session's, a batch's (RFC 9562 §5.4).
package enum RandomID {
    /// The id of those 128 bits; version and variant take six of them.
    package static func text(_ high: UInt64, _ low: UInt64, version: UInt64 = 4) -> String {
        let high = high & ~0xF000 | version << 12
        let low = low & ~(3 << 62) | 2 << 62
        var digits: [UInt8] = []
        Hex.append(high, to: &digits)
        Hex.append(low, to: &digits)
        for index in [20, 16, 12, 8] { digits.insert(UInt8(ascii: "-"), at: index) }
        return String(decoding: digits, as: UTF8.self)
    }

    /// Whether a text has the form of one.
    package static func isText(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return parts.map(\.count) == [8, 4, 4, 4, 12]
            && parts.allSatisfy { $0.allSatisfy { Hex.digit($0) != nil } }
    }
}
