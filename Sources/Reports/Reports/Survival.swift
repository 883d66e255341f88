/// ∏ (1 − lost/atRisk) as an exact fraction of two whole numbers of any size; only `rounded` rounds
/// it. Each factor adds at most 64 bits to its size.
struct Survival {
    /// Decimals of `rounded`.
    static let places = 6

    private var numerator = Natural(1)
    private var denominator = Natural(1)

    /// Multiplies by 1 − lost/atRisk: 0 ≤ lost ≤ atRisk, atRisk > 0.
    mutating func lose(_ lost: Int, of atRisk: Int) {
        let remaining = UInt64(clamping: atRisk - lost)
        let all = UInt64(clamping: atRisk)
        let common = Self.greatestCommonDivisor(remaining, all)
        numerator.multiply(by: remaining / common)
        denominator.multiply(by: all / common)
    }

    /// Whether the product is at most ½.
    var isAtMostHalf: Bool {
        var twice = numerator
        twice.multiply(by: 2)
        return twice <= denominator
    }

    /// The product in millionths, rounded half up: the greatest q with q ≤ 10^6·n/d + ½.
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

/// A whole number of any size, 0 or greater.
struct Natural: Comparable {
    /// Digits to the base 2^64, the lowest first; the highest is not 0, and 0 has none.
    private var digits: [UInt64]

    /// A number of one digit.
    init(_ value: UInt64) {
        digits = value == 0 ? [] : [value]
    }

    /// Multiplies by a number of one digit.
    mutating func multiply(by factor: UInt64) {
        if factor == 0 {
            digits = []
            return
        }
        var carry: UInt64 = 0
        for index in digits.indices {
            let (high, low) = digits[index].multipliedFullWidth(by: factor)
            let (sum, overflow) = low.addingReportingOverflow(carry)
            digits[index] = sum
            // high is at most 2^64 − 2.
            carry = high + (overflow ? 1 : 0)
        }
        if carry > 0 { digits.append(carry) }
    }

    /// Adds another number.
    mutating func add(_ other: Natural) {
        var carry: UInt64 = 0
        for index in 0..<max(digits.count, other.digits.count) {
            if index == digits.count { digits.append(0) }
            let addend = index < other.digits.count ? other.digits[index] : 0
            let (first, overflow) = digits[index].addingReportingOverflow(addend)
            let (sum, again) = first.addingReportingOverflow(carry)
            digits[index] = sum
            carry = overflow || again ? 1 : 0
        }
        if carry > 0 { digits.append(carry) }
    }

    static func < (a: Natural, b: Natural) -> Bool {
        if a.digits.count != b.digits.count { return a.digits.count < b.digits.count }
        for index in a.digits.indices.reversed() where a.digits[index] != b.digits[index] {
            return a.digits[index] < b.digits[index]
        }
        return false
    }
}
