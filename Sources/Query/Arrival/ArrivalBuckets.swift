import Storage
import TimeZones

/// In which bucket of a question something arrived: for the reports that go by arrival.
struct ArrivalBuckets {
    /// The range cut into buckets.
    let buckets: Buckets
    /// The quarter hours (`QuarterHour`) that may lie in the range, first and last.
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

    /// The bucket's place; nil outside the range.
    mutating func place(of arrival: Int64) -> Int? {
        days.day(at: arrival).flatMap { buckets.index(ofDay: $0) }
    }

    /// The place for what came in a quarter hour, of which only that is known.
    mutating func place(ofQuarter quarter: Int64) -> Int? {
        quarters.contains(quarter) ? place(of: quarter * QuarterHour.length) : nil
    }
}
