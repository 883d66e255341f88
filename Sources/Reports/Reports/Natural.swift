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
