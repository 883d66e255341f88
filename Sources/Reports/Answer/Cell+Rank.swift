extension Cell {
    /// The nearest-rank percentile of durations in milliseconds: the ⌈p·n⌉-th smallest, in seconds with 3
    /// decimals; null of nothing (docs/reports.md, Answers).
    static func nearestRank(_ percent: Int, of ranks: NearestRanks) -> Cell {
        ranks.value(percent).map { .seconds(Int128($0)) } ?? .null
    }
}
