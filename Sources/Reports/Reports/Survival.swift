/// ∏ (1 − lost/atRisk), exactly, as a fraction of two whole numbers of any size; rounded only when it
/// is shown. Its size is bounded by the number of factors: 64 bits for each at most.
struct Survival {
    /// Decimals of `rounded`.
    static let places = 6

    private var numerator = Natural(1)
    private var denominator = Natural(1)

    /// Of so many at risk so many were lost: 0 ≤ lost ≤ atRisk, atRisk > 0.
    mutating func lose(_ lost: Int, of atRisk: Int) {
        let kept = UInt64(clamping: atRisk - lost)
        let all = UInt64(clamping: atRisk)
        let common = Self.greatestCommonDivisor(kept, all)
        numerator.multiply(by: kept / common)
        denominator.multiply(by: all / common)
    }

    /// Whether it is at most ½.
    var isAtMostHalf: Bool {
        var twice = numerator
        twice.multiply(by: 2)
        return twice <= denominator
    }

    /// Millionths, rounded half up: the greatest q with q ≤ 10^6·n/d + ½.
    var rounded: Int64 {
        // 2·d·q ≤ 2·10^6·n + d, in whole numbers.
        var limit = numerator
        limit.multiply(by: 2_000_000)
        limit.add(denominator)
        var low: UInt64 = 0
        var high: UInt64 = 1_000_000
        while low < high {
            let middle = (low + high + 1) / 2
            var product = denominator
            product.multiply(by: 2 * middle)
            if product <= limit { low = middle } else { high = middle - 1 }
        }
        return Int64(low)
    }

    private static func greatestCommonDivisor(_ a: UInt64, _ b: UInt64) -> UInt64 {
        var (a, b) = (a, b)
        while b > 0 { (a, b) = (b, a % b) }
        return max(a, 1)
    }
}
