/// The buckets that a range of days is cut into, by index: 0 is the one that holds the first day.
/// Those at the edges hold only the days that are in the range (docs/reports.md, Asking).
public struct Buckets: Sendable {
    /// The first day of each bucket, even where that lies before the range.
    package let starts: [CivilDate]
    /// The first day of the range.
    package let from: CivilDate
    /// The last day of the range.
    package let to: CivilDate
    /// The number of the first day.
    @usableFromInline let firstDay: Int
    private let interval: Interval
    /// Bucket of each day of the range, from its first.
    @usableFromInline let bucketOfDay: [Int32]

    /// Cuts the days `from` to `to`, both included.
    package init(from: CivilDate, to: CivilDate, by interval: Interval) {
        var starts: [CivilDate] = []
        var bucketOfDay: [Int32] = []
        bucketOfDay.reserveCapacity(max(0, to.number - from.number + 1))
        var day = from
        var end = from
        while day <= to {
            if day >= end {
                let start = interval.start(of: day) ?? from
                starts.append(start)
                end = interval.next(after: start) ?? to.adding(days: 1)
            }
            bucketOfDay.append(Int32(starts.count - 1))
            day = day.adding(days: 1)
        }
        self.starts = starts
        self.bucketOfDay = bucketOfDay
        self.from = from
        firstDay = from.number
        self.to = to
        self.interval = interval
    }

    /// How many there are.
    package var count: Int { starts.count }

    /// The bucket of a day given by its number; nothing outside the range.
    @inlinable @inline(__always)
    public func index(ofDay number: Int) -> Int? {
        let offset = number &- firstDay
        return offset >= 0 && offset < bucketOfDay.count ? Int(bucketOfDay[offset]) : nil
    }

    /// All of them.
    package var indices: Range<Int> { 0..<count }

    /// The first and the last day of a bucket that are in the range.
    package func days(of index: Int) -> ClosedRange<CivilDate> {
        let last = index + 1 < count ? starts[index + 1].adding(days: -1) : to
        return max(starts[index], from)...last
    }

    /// Whether all days of a bucket are in the range.
    package func isWhole(_ index: Int) -> Bool {
        let start = starts[index]
        guard let next = interval.next(after: start) else { return true }
        return start >= from && next.adding(days: -1) <= to
    }
}

/// How days are put together into rows (docs/reports.md, Asking: `interval`).
package enum Interval: String, CaseIterable, Sendable {
    case day, week, month
    /// One bucket: the range, dated by its first day.
    case all

    /// Those whose buckets the calendar cuts, whatever the range.
    package static let calendar: [Interval] = [.day, .week, .month]

    /// The first day of the bucket that a day lies in; nil where that is the first of the range.
    package func start(of day: CivilDate) -> CivilDate? {
        switch self {
        case .day: day
        case .week: day.weekStart
        case .month: day.monthStart
        case .all: nil
        }
    }

    /// The first day of the bucket after the one that begins with `start`; nil where none follows.
    package func next(after start: CivilDate) -> CivilDate? {
        switch self {
        case .all: nil
        case .day: start.adding(days: 1)
        case .week: start.adding(days: 7)
        case .month: start.monthStart(adding: 1)
        }
    }
}
