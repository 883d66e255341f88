import TimeZones

/// The buckets of a question whose rows have a date only if it names an interval.
struct Dates: Sendable {
    private let isDated: Bool
    let buckets: Buckets

    init(_ interval: Interval?, _ calendar: ReportCalendar) {
        isDated = interval != nil
        buckets = calendar.buckets(by: interval)
    }

    /// The bucket of an event of the range.
    func bucket(of event: PreparedEvent) -> Int { buckets.index(ofDay: Int(event.day)) ?? 0 }

    var columns: [String] { isDated ? ["date"] : [] }

    func cells(_ bucket: Int) -> [Figure] {
        isDated ? [.text(buckets.starts[bucket].text)] : []
    }
}
