/// The exact sum of doubles: no order of adding, and no way of splitting them between threads or engines, changes
/// a bit of it. It is rounded once, when it is asked for.
///
/// Every finite double is a whole number of 2^−1074, below 2^1024. The sum is kept as a number of fixed point with
/// 1088 bits after the point, in digits of 32 bits that are held in 64: adding a number changes the four
/// digits or fewer in which its 53 bits lie (times how often it comes), and carries wait. A digit takes less than
/// 2^32 from each number, so that carries may wait for 2^30 of them. With 70 digits there is room above the
/// point for 2^1152, the greatest double 2^128 times: more than anybody counts.
///
/// This is the superaccumulator of R. M. Neal, "Fast exact summation using small and large superaccumulators"
/// (2015), the small one.
package struct ExactSum: Equatable, Sendable {
    /// The lowest first; between carries any of them may be below 0.
    private var digits = [Int64](repeating: 0, count: Self.count)
    /// Numbers that may be added before carries have to be propagated.
    private var remaining = Self.carryInterval

    private static let count = 70
    /// Digits after the point.
    private static let fraction = 34
    private static let carryInterval = 1 << 30
    private static let lower: Int64 = 0xffff_ffff
    /// The greatest that is shown, 2^53−1, in millionths (docs/reports.md, values).
    private static let greatest: Int128 = 9_007_199_254_740_991 * 1_000_000

    /// 0.
    package init() {}

    /// Adds a finite number, as often as it came.
    @inline(__always)
    mutating func add(_ number: Double, times count: UInt32 = 1) {
        let exponent = Int(number.exponentBitPattern)
        var mantissa = number.significandBitPattern
        // A subnormal has the exponent of the least normal number, without the bit that others have.
        if exponent > 0 { mantissa |= 1 << 52 }
        add(
            UInt128(mantissa) &* UInt128(count), exponent: exponent,
            isNegative: number.sign == .minus)
    }

    /// Adds the sum of the mantissas of numbers that have the same exponent, below 2^95 with its sign left out.
    /// - Parameters:
    ///   - mantissas: each with the bit that normal numbers have above those of their pattern
    ///   - exponent: the bits of it, 0 to 2,046
    package mutating func add(mantissas: Int128, exponent: Int) {
        guard (0...2046).contains(exponent) else { return }
        add(mantissas.magnitude, exponent: exponent, isNegative: mantissas < 0)
    }

    @inline(__always)
    private mutating func add(_ mantissa: UInt128, exponent: Int, isNegative: Bool) {
        if remaining == 0 { propagateCarries() }
        remaining &-= 1
        let position = max(exponent, 1) &+ 13
        let firstDigit = position &>> 5
        var rest = mantissa &<< UInt128(truncatingIfNeeded: position & 31)
        var digit = firstDigit
        while rest != 0 {
            let part = Int64(truncatingIfNeeded: rest) & Self.lower
            digits[digit] &+= isNegative ? 0 &- part : part
            rest &>>= 32
            digit &+= 1
        }
    }

    /// Adds another sum.
    mutating func add(_ other: ExactSum) {
        var other = other
        other.propagateCarries()
        propagateCarries()
        for digit in digits.indices { digits[digit] &+= other.digits[digit] }
        propagateCarries()
    }

    /// The sum divided by a count of at least 1, in millionths, rounded once, halves away from 0, then held within
    /// ±(2^53−1).
    package func millionths(over count: UInt64 = 1) -> Int128 {
        var sum = self
        sum.propagateCarries()
        let isNegative = sum.digits[Self.count - 1] < 0
        if isNegative {
            for digit in sum.digits.indices { sum.digits[digit] = 0 &- sum.digits[digit] }
            sum.propagateCarries()
        }
        var digits = sum.digits.map { UInt64(truncatingIfNeeded: $0) }
        var carry: UInt64 = 0
        for digit in digits.indices {
            carry += digits[digit] * 1_000_000
            digits[digit] = carry & 0xffff_ffff
            carry >>= 32
        }
        if count > 1 {
            var rest: UInt64 = 0
            for digit in digits.indices.reversed() {
                let (quotient, remainder) = count.dividingFullWidth(
                    (rest >> 32, rest << 32 | digits[digit]))
                (digits[digit], rest) = (quotient, remainder)
            }
        }
        // What division cut off is less than the last digit's least bit: it decides no half.
        var magnitude: UInt128 = digits[Self.fraction - 1] >> 31 == 0 ? 0 : 1
        let whole = digits[Self.fraction...]
        guard whole.dropFirst(3).allSatisfy({ $0 == 0 }) else {
            return isNegative ? -Self.greatest : Self.greatest
        }
        for (index, digit) in whole.prefix(3).enumerated() {
            magnitude += UInt128(digit) << (32 * UInt128(index))
        }
        let held = min(Int128(magnitude), Self.greatest)
        return isNegative ? -held : held
    }

    /// Two sums are the same if what they add up to is.
    package static func == (a: ExactSum, b: ExactSum) -> Bool {
        var (a, b) = (a, b)
        a.propagateCarries()
        b.propagateCarries()
        return a.digits == b.digits
    }

    /// Has each digit but the last, which has the sign, be from 0 to 2^32 − 1.
    private mutating func propagateCarries() {
        var carry: Int64 = 0
        for digit in 0..<Self.count - 1 {
            let value = digits[digit] &+ carry
            digits[digit] = value & Self.lower
            carry = value >> 32
        }
        digits[Self.count - 1] &+= carry
        remaining = Self.carryInterval
    }
}
