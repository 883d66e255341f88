/// Durations and their percentiles.
struct Durations: Sendable {
    private var exact: [Int64] = []
    /// Those known within bounds.
    private var vague: [BoundedTime] = []

    var count: Int { exact.count + vague.count }

    mutating func insert(_ time: BoundedTime) {
        if time.low == time.high { exact.append(time.low) } else { vague.append(time) }
    }

    mutating func merge(_ other: Durations) {
        exact += other.exact
        vague += other.vague
    }

    var total: BoundedTime {
        var total = BoundedTime(exact.reduce(0, +))
        for time in vague { total += time }
        return total
    }

    /// The mean, half up to whole milliseconds; `null` of none.
    var mean: Figure {
        guard count > 0 else { return .missing }
        var mean = total
        mean.low = Int64(Decimals.rounded(Int128(mean.low), Int128(count)))
        mean.high = Int64(Decimals.rounded(Int128(mean.high), Int128(count)))
        return .seconds(mean)
    }

    /// Nearest-rank percentiles: of the lower ends, and of the upper ones; `null` of none.
    func percentiles(_ percents: [Int]) -> [Figure] {
        let low = (exact + vague.map(\.low)).sorted()
        let high = vague.isEmpty ? low : (exact + vague.map(\.high)).sorted()
        return percents.map { percent in
            guard let rank = Decimals.rank(percent, of: count) else { return .missing }
            var time = BoundedTime(low[rank])
            time.high = high[rank]
            return .seconds(time)
        }
    }
}
