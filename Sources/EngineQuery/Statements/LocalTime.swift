import TimeZones

/// Local days, hours and buckets of instants as expressions. The engine's own time zones are never asked: the
/// zone's offsets are numbers here, piece by piece.
struct LocalTime: Sendable {
    /// Stretches of constant offset that hold all instants of the range, and two days on each side.
    private let pieces: [TimeSegment]
    private let zone: TimeZoneRules
    /// The first day of the range.
    private let from: CivilDate

    private static let dayLength: Int64 = 86_400_000
    private static let hourLength: Int64 = 3_600_000
    /// A number of days, and of weeks, that is added before dividing, so that nothing below 0 is divided:
    /// `intDiv` rounds towards 0.
    private static let shift: Int64 = 104_249_999

    /// For the days `from` to `to`, both included.
    init(_ zone: TimeZoneRules, from: CivilDate, to: CivilDate) {
        let start = (Int64(from.number) - 2) * Self.dayLength
        let end = max(start + 1, (Int64(to.number) + 3) * Self.dayLength)
        pieces = zone.segments(from: start, to: end)
        self.zone = zone
        self.from = from
    }

    /// Local time − UTC in milliseconds, plus a number.
    private func offset(_ time: String, plus shift: Int64) -> String {
        guard let last = pieces.last, pieces.count > 1 else {
            return "\((pieces.first?.offset ?? 0) + shift)"
        }
        let arms = pieces.dropLast().map { "\(time) < \($0.end), \($0.offset + shift)" }
        return "multiIf(\(arms.joined(separator: ", ")), \(last.offset + shift))"
    }

    /// The number of the local day of an instant.
    func day(_ time: String) -> String {
        let offset = offset(time, plus: Self.shift * Self.dayLength)
        return "(intDiv(\(time) + \(offset), \(Self.dayLength)) - \(Self.shift))"
    }

    /// Which hour of the week an instant lies in, from 0: the first of a Monday.
    func hourOfWeek(_ time: String) -> String {
        // Day 0 was a Thursday, the fourth day of a week; the shift is made of whole weeks.
        let weeks = Self.shift / 7 * 7
        let offset = offset(time, plus: (weeks + 3) * Self.dayLength)
        // What is divided by decides in 18.16 what the rest fits into.
        return "(intDiv(\(time) + \(offset), \(Self.hourLength)) % toInt64(168))"
    }

    /// The index of the bucket of an instant, 0 for that of the first day. Only for instants that lie in the
    /// range, or after it.
    func bucket(_ time: String, by interval: Interval?) -> String {
        bucket(ofDay: day(time), by: interval)
    }

    /// The index of the bucket of a local day by its number.
    func bucket(ofDay day: String, by interval: Interval?) -> String {
        switch interval {
        case nil, .all: return "toInt64(0)"
        case .day: return "(\(day) - \(from.number))"
        case .week:
            // Day −3 was a Monday.
            let shift = Self.shift / 7 * 7 + 3
            let first = (Int64(from.number) + shift) / 7
            return "(intDiv(\(day) + \(shift), 7) - \(first))"
        case .month:
            let (year, month, _) = from.parts
            let first = year * 12 + month
            return "(toInt64(toRelativeMonthNum(toDate(toUInt16(\(day))))) - \(first))"
        }
    }

    /// Whether an instant lies on one of the days `from` to `to`.
    func within(_ time: String, from: CivilDate, to: CivilDate) -> String {
        let stretches = zone.intervals(from: from, to: to)
        return Self.within(time, stretches)
    }

    /// Whether an instant lies in one of some stretches.
    static func within(_ time: String, _ stretches: [Range<Int64>]) -> String {
        if stretches.isEmpty { return "0" }
        let arms = stretches.map {
            "(\(time) >= \($0.lowerBound) AND \(time) < \($0.upperBound))"
        }
        return arms.count == 1 ? arms[0] : "(\(arms.joined(separator: " OR ")))"
    }
}
