import TimeZones

/// The days and the buckets of a scope.
struct ReportCalendar: Sendable {
    /// The day of what lies years away from the range.
    static let noDay = Int32.min

    let scope: TruthScope
    /// The number of the first day of the range.
    let from: Int
    /// The number of the last.
    let to: Int
    private let buckets: [Interval: Buckets]
    private var days: LocalDays

    init(_ scope: TruthScope) {
        self.scope = scope
        from = scope.from.number
        to = scope.to.number
        buckets = Dictionary(
            uniqueKeysWithValues: Interval.allCases.map {
                ($0, Buckets(from: scope.from, to: scope.to, by: $0))
            })
        // Periods of retention and the window of 30 days look out of the range.
        days = LocalDays(
            scope.zone, from: scope.from.adding(days: -1200), to: scope.to.adding(days: 1200))
    }

    /// The buckets of the range; one without an interval.
    func buckets(by interval: Interval?) -> Buckets {
        buckets[interval ?? .all] ?? Buckets(from: scope.from, to: scope.to, by: interval ?? .all)
    }

    func isInRange(_ day: Int32) -> Bool { Int(day) >= from && Int(day) <= to }

    /// The local day of an instant and, in the range, the hour of the week.
    mutating func place(_ time: Int64) -> (day: Int32, hour: Int16) {
        guard let local = days.hour(at: time) else { return (Self.noDay, -1) }
        let day = Int32(local.day)
        return (day, isInRange(day) ? Int16(local.ofWeek) : -1)
    }
}
