import TimeZones

/// How each report is asked for: what its tally is made from is what the parameters say.
extension TruthQuestion {
    private static let limit = Parameter("limit", String(Groups<EventCount>.limit))

    private static func given(_ interval: Interval?) -> [Parameter] {
        interval.map { [Parameter("interval", $0.rawValue)] } ?? []
    }

    static func active(_ interval: Interval, where filter: Filter = .everything) -> Self {
        Self("active", given(interval), where: filter) { calendar, _ in
            ActiveTally(interval, calendar)
        }
    }

    static func sessions(_ interval: Interval, where filter: Filter = .everything) -> Self {
        Self("sessions", given(interval), where: filter) { calendar, _ in
            SessionsTally(interval, calendar)
        }
    }

    static func lengths() -> Self { Self("lengths") { _, _ in LengthsTally() } }

    static func hours() -> Self { Self("hours") { _, _ in HoursTally() } }

    /// With as many periods as the report has by itself.
    static func retention(_ cohort: Interval, where filter: Filter = .everything) -> Self {
        let periods =
            switch cohort {
            case .month: 6
            case .week: 8
            case .day, .all: 14
            }
        return Self("retention", [Parameter("cohort", cohort.rawValue)], where: filter) {
            calendar, _ in RetentionTally(cohort, periods: periods, calendar)
        }
    }

    static func events(by interval: Interval? = nil, where filter: Filter = .everything) -> Self {
        Self("events", given(interval) + [limit], where: filter) { calendar, _ in
            EventNamesTally(by: interval, calendar)
        }
    }

    static func events(name: String, by attribute: String) -> Self {
        Self("events", [Parameter("name", name), Parameter("by", attribute), limit]) { _, names in
            EventValuesTally(name: name, by: attribute, &names)
        }
    }

    static func values(
        name: String, of number: String, by key: String? = nil, interval: Interval? = nil
    ) -> Self {
        let parameters =
            [Parameter("name", name), Parameter("of", number)]
            + (key.map { [Parameter("by", $0)] } ?? []) + given(interval) + [limit]
        return Self("values", parameters) { calendar, names in
            ValuesTally(name: name, of: number, by: key, interval: interval, calendar, &names)
        }
    }

    static func counters(by interval: Interval? = nil) -> Self {
        Self("counters", given(interval) + [limit]) { calendar, names in
            CountersTally(by: interval, calendar, &names)
        }
    }

    static func platforms(where filter: Filter = .everything) -> Self {
        Self("platforms", [limit], where: filter) { _, _ in PlatformsTally() }
    }

    static func versions(_ dimension: Dimension, by interval: Interval? = nil) -> Self {
        let parameters = [Parameter("dimension", dimension.rawValue)] + given(interval) + [limit]
        return Self("versions", parameters) { calendar, _ in
            VersionsTally(dimension, by: interval, calendar)
        }
    }

    static func funnel(
        _ steps: [String], withinHours hours: Int, where filter: Filter = .everything
    ) -> Self {
        let parameters = steps.map { Parameter("step", $0) } + [Parameter("within", "\(hours)h")]
        return Self("funnel", parameters, where: filter) { _, names in
            FunnelTally(steps, within: Int64(hours) * 3_600_000, &names)
        }
    }

    static func content(where filter: Filter = .everything) -> Self {
        Self("content", [limit], where: filter) { _, names in ContentTally(&names) }
    }

    static func videos() -> Self { Self("videos", [limit]) { _, names in VideosTally(&names) } }

    /// - Parameter inactive: days; nil: as the report has them by itself
    static func lifetime(inactive: Int? = nil, where filter: Filter = .everything) -> Self {
        let parameters = inactive.map { [Parameter("inactive", String($0))] } ?? []
        return Self("lifetime", parameters, where: filter) { calendar, _ in
            LifetimeTally(inactive: inactive ?? 28, calendar)
        }
    }

    static func quality() -> Self {
        Self("quality", isRanged: false) { calendar, _ in QualityTally(calendar) }
    }

    static func rejects() -> Self {
        Self("rejects", isRanged: false) { calendar, _ in RejectsTally(calendar) }
    }
}
