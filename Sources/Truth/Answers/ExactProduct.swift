/// A product of fractions from 0 to 1, exact however many there are: numerator and denominator in digits of
/// 32 bits, the lowest first.
struct ExactProduct: Sendable {
    private var numerator: [UInt32] = [1]
    private var denominator: [UInt32] = [1]

    /// Multiplies by a fraction of numbers below 2^31.
    mutating func multiply(by a: Int, over b: Int) {
        guard a != b else { return }
        numerator = Self.product(numerator, UInt64(a))
        denominator = Self.product(denominator, UInt64(b))
    }

    var isAtMostHalf: Bool { !Self.isLess(denominator, Self.product(numerator, 2)) }

    /// In units of 10^-6, rounded half up.
    var millionths: Int {
        // The greatest n with (2n − 1) · denominator ≤ 2,000,000 · numerator.
        let limit = Self.product(numerator, 2_000_000)
        var (low, high) = (0, 1_000_000)
        while low < high {
            let middle = (low + high + 1) / 2
            let isAbove = Self.isLess(limit, Self.product(denominator, UInt64(2 * middle - 1)))
            if isAbove { high = middle - 1 } else { low = middle }
        }
        return low
    }

    /// Without zeros at the high end, so that lengths can be compared.
    private static func product(_ digits: [UInt32], _ factor: UInt64) -> [UInt32] {
        guard factor > 0 else { return [] }
        var product: [UInt32] = []
        product.reserveCapacity(digits.count + 1)
        var carry: UInt64 = 0
        for digit in digits {
            let next = UInt64(digit) * factor + carry
            product.append(UInt32(truncatingIfNeeded: next))
            carry = next >> 32
        }
        if carry > 0 { product.append(UInt32(carry)) }
        return product
    }

    private static func isLess(_ a: [UInt32], _ b: [UInt32]) -> Bool {
        if a.count != b.count { return a.count < b.count }
        for index in a.indices.reversed() where a[index] != b[index] { return a[index] < b[index] }
        return false
    }
}
