/// Decimals by exact integers.
enum Decimals {
    /// Sums saturate there: 2^53−1.
    static let greatest: Int128 = (1 << 53) - 1

    /// Units of 10^-decimals, with that many decimals.
    static func text(_ units: Int128, decimals: Int) -> String {
        let digits = String(units.magnitude)
        let padded =
            String(repeating: "0", count: max(0, decimals + 1 - digits.utf8.count)) + digits
        let point = padded.index(padded.endIndex, offsetBy: -decimals)
        return (units < 0 ? "-" : "") + padded[..<point] + "." + padded[point...]
    }

    /// a ÷ b, neither negative, rounded half up.
    static func rounded(_ a: Int128, _ b: Int128) -> Int128 { (2 * a + b) / (2 * b) }

    /// a ÷ b with 6 decimals.
    static func ratio(_ a: Int128, _ b: Int128) -> String {
        text(rounded(a * 1_000_000, b), decimals: 6)
    }

    /// The index of the ⌈p·n⌉-th smallest of `count` values in order; none of none.
    static func rank(_ percent: Int, of count: Int) -> Int? {
        count == 0 ? nil : (percent * count + 99) / 100 - 1
    }
}
