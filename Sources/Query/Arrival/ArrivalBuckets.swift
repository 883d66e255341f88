import Storage
import TimeZones

/// Finds the bucket of a question in which something arrived: for the reports that count by
/// arrival.
struct ArrivalBuckets {
    /// The range cut into buckets.
    let buckets: Buckets
    /// The first and the last quarter hour (`QuarterHour`) that may lie in the range.
    let quarters: ClosedRange<Int64>
    private var days: LocalDays

    /// For the range and the interval of a question.
    init(_ scope: QueryScope, by interval: Interval) {
        buckets = scope.buckets(by: interval)
        days = LocalDays(scope.zone, from: scope.from, to: scope.to)
        let window = scope.zone.window(from: scope.from, to: scope.to)
        quarters =
            QuarterHour.number(of: window.lowerBound)...QuarterHour.number(of: window.upperBound)
    }

    /// The index of the bucket; nil outside the range.
    mutating func index(of arrival: Int64) -> Int? {
        days.day(at: arrival).flatMap { buckets.index(ofDay: $0) }
    }

    /// The index of the bucket in which a quarter hour begins; nil outside the range.
    mutating func index(ofQuarter quarter: Int64) -> Int? {
        quarters.contains(quarter) ? index(of: quarter * QuarterHour.length) : nil
    }
}
