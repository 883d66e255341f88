import TimeZones

/// When batches were posted first: from the first moment to the last.
struct Arrival: Sendable {
    private var first = Int64.max
    private var last = Int64.min

    mutating func insert(_ time: Int64) {
        first = min(first, time)
        last = max(last, time)
    }

    mutating func merge(_ other: Arrival) {
        first = min(first, other.first)
        last = max(last, other.last)
    }

    /// How long a batch may be on its way, with all that goes wrong: it counts when it arrives.
    private static let slack: Int64 = 3_600_000

    /// A range of days that holds them; the scope's where there is none.
    func parameters(_ calendar: ReportCalendar) -> [Parameter] {
        let scope = calendar.scope
        let isEmpty = first > last
        let from = isEmpty ? scope.from : scope.zone.day(at: first)
        let to = isEmpty ? scope.to : scope.zone.day(at: last + Self.slack)
        return [Parameter("from", from.text), Parameter("to", to.text)]
    }
}
