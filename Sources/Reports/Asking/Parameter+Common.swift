import Query
import TimeZones

extension Parameter {
    /// The parameters of every report.
    package static let common = asked(from: "29 days before to", to: "today")

    /// The same, where a question without dates is about all time.
    package static let rangeOrAll = asked(
        from: "all; with to 29 days before it", to: "all; with from today")

    private static func asked(from: String, to: String) -> [Parameter] {
        [
            Parameter("app", "the app's id", .app, isRequired: true),
            Parameter(
                "from", "first local date, at most 1,099 days before to", .date, default: from),
            Parameter("to", "last local date, included", .date, default: to),
            Parameter(
                "tz", "the IANA time zone in which dates are cut", .timeZone,
                default: "the app's time zone"),
        ]
    }

    /// The four filters, in the order of the contract.
    package static let filters: [Parameter] = ResourceFilter.dimensions.map { name in
        Parameter(
            name, "keep only what a batch with this \(name) says; unknown for none given",
            .text, isRepeatable: true)
    }

    /// The form of an answer with rows.
    package static let format = Parameter(
        "format", "the form of the answer", .choice(ReportFormat.allCases.map(\.rawValue)),
        default: "json, or csv by Accept: text/csv")

    /// How days are grouped into rows.
    package static let interval = Parameter(
        "interval", "how days are put together into rows; weeks begin on Monday",
        .choice(Interval.calendar.map(\.rawValue)), default: Interval.day.rawValue)

    /// The same where the whole range may be one row.
    package static let intervalOrAll = Parameter(
        "interval", "how days are put together into rows; weeks begin on Monday, all is one row",
        .choice(Interval.allCases.map(\.rawValue)), default: Interval.day.rawValue)

    /// The same, where rows are of the whole range unless it is given.
    package static let optionalInterval = Parameter(
        "interval", "rows by day, week or month; without it they are of the whole range",
        .choice(Interval.calendar.map(\.rawValue)))

    /// How days are grouped into cohorts and the periods after them.
    package static let cohort = Parameter(
        "cohort", "how days are put together into cohorts and periods; weeks begin on Monday",
        .choice(Interval.calendar.map(\.rawValue)), default: Interval.day.rawValue)

    /// How many periods after a cohort's own are shown.
    package static let periods = Parameter(
        "periods", "how many periods after a cohort's own", .integer(0...90),
        default: "14 by day, 8 by week, 6 by month")

    /// After how many days without an event a device is lost.
    package static let inactive = Parameter(
        "inactive", "a device is lost whose last active day is at least so many days before to",
        .integer(0...999_999_999), default: "28")

    /// The steps of a funnel.
    package static let step = Parameter(
        "step", "an event's name, or name:attribute=value; from the first step to the last",
        .matcher, isRequired: true, isRepeatable: true, times: 2...10)

    /// How long a way through a funnel may take.
    package static let within = Parameter(
        "within", "from the first step's event to the last at most: a number and s, m, h or d",
        .duration, default: "24h")

    /// How many names of a ranking are shown.
    package static let limit = Parameter(
        "limit", "names at most", .integer(1...10_000), default: "100")
}
