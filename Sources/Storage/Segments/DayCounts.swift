import Columns

/// Some days, and how many events were taken of each.
struct DayCounts {
    /// By day since 1970-01-01, UTC; nil: all days, which are not counted.
    private var counts: [Int64: Int]?
    /// Of the day with the most.
    private(set) var greatest = 0

    /// - Parameter days: nil: all
    init(_ days: [Int64]?) {
        counts = days.map { Dictionary($0.map { ($0, 0) }, uniquingKeysWith: max) }
    }

    /// Whether an event at a time, in milliseconds since 1970, is of these days; then it is counted.
    mutating func take(_ time: Int64) -> Bool {
        if counts == nil { return true }
        let day = Segment.day(of: time)
        guard let index = counts?.index(forKey: day) else { return false }
        counts?.values[index] += 1
        greatest = max(greatest, counts?.values[index] ?? 0)
        return true
    }
}
