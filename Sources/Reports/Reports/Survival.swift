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

/// A whole number from 0 on, of any size.
struct Natural: Comparable {
    /// Digits to the base 2^64, the lowest first; the highest is not 0, and 0 has none.
    private var digits: [UInt64]

    /// A small one.
    init(_ value: UInt64) {
        digits = value == 0 ? [] : [value]
    }

    /// Times a small one.
    mutating func multiply(by factor: UInt64) {
        if factor == 0 {
            digits = []
            return
        }
        var carry: UInt64 = 0
        for place in digits.indices {
            let (high, low) = digits[place].multipliedFullWidth(by: factor)
            let (sum, overflow) = low.addingReportingOverflow(carry)
            digits[place] = sum
            // high is at most 2^64 − 2.
            carry = high + (overflow ? 1 : 0)
        }
        if carry > 0 { digits.append(carry) }
    }

    /// Plus another one.
    mutating func add(_ other: Natural) {
        var carry: UInt64 = 0
        for place in 0..<max(digits.count, other.digits.count) {
            if place == digits.count { digits.append(0) }
            let addend = place < other.digits.count ? other.digits[place] : 0
            let (first, overflow) = digits[place].addingReportingOverflow(addend)
            let (sum, again) = first.addingReportingOverflow(carry)
            digits[place] = sum
            carry = overflow || again ? 1 : 0
        }
        if carry > 0 { digits.append(carry) }
    }

    static func < (a: Natural, b: Natural) -> Bool {
        if a.digits.count != b.digits.count { return a.digits.count < b.digits.count }
        for place in a.digits.indices.reversed() where a.digits[place] != b.digits[place] {
            return a.digits[place] < b.digits[place]
        }
        return false
    }
}
