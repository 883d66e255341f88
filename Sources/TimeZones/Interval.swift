/// How days are put together into rows (docs/reports.md, Asking: `interval`).
package enum Interval: String, CaseIterable, Sendable {
    case day, week, month

    /// The first day of the bucket that a day lies in.
    package func start(of day: CivilDate) -> CivilDate {
        switch self {
        case .day: day
        case .week: day.weekStart
        case .month: day.monthStart
        }
    }

    /// The first day of the bucket after the one that begins with `start`.
    package func next(after start: CivilDate) -> CivilDate {
        switch self {
        case .day: start.adding(days: 1)
        case .week: start.adding(days: 7)
        case .month: start.monthStart(adding: 1)
        }
    }
}
