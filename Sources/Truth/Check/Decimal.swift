/// A number of at most nine decimals, exactly.
struct Decimal: Comparable, Sendable {
    /// In units of 10^-9.
    private let units: Int128

    private static let decimals = 9

    /// Nil for what is no number, one with an exponent, or one of more decimals.
    init?(_ value: JSONValue) {
        guard case .number(let number) = value else { return nil }
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        let fraction = parts.count > 1 ? parts[1] : ""
        guard parts.count <= 2, fraction.utf8.count <= Self.decimals else { return nil }
        let zeros = String(repeating: "0", count: Self.decimals - fraction.utf8.count)
        guard let units = Int128(parts[0] + fraction + zeros) else { return nil }
        self.units = units
    }

    static func < (a: Decimal, b: Decimal) -> Bool { a.units < b.units }
}
