/// Nearest ranks in one shard, as aggregates.
enum Percentiles {
    /// An array of the values of some percentiles. Of no values it has others, or none.
    /// - Parameters:
    ///   - value: an expression
    ///   - condition: which values count; nil: all
    static func sql(_ percents: [Int], of value: String, where condition: String? = nil) -> String {
        if percents.isEmpty { return "emptyArrayInt64()" }
        let levels = percents.map(level).joined(separator: ", ")
        guard let condition else { return "quantilesExact(\(levels))(\(value))" }
        return "quantilesExactIf(\(levels))(\(value), \(condition))"
    }

    /// A percentile as a level, less than it by 10^−14. The engine takes the value before which there are
    /// level · n, rounded down: where p · n is whole it is the one before, since the level is less, and for
    /// less than 10^12 values what it lacks makes no other difference.
    private static func level(_ percent: Int) -> String {
        let digits = String(max(1, min(percent, 100)) * 1_000_000_000_000 - 1)
        return "0." + String(repeating: "0", count: max(0, 14 - digits.utf8.count)) + digits
    }

    /// The rank of a percentile among some values: ⌈p·n⌉, the smallest is 1.
    static func rank(_ percent: Int, of count: UInt64) -> UInt64 {
        let (whole, rest) = count.quotientAndRemainder(dividingBy: 100)
        let percent = UInt64(max(1, min(percent, 100)))
        return whole * percent + (rest * percent + 99) / 100
    }
}
