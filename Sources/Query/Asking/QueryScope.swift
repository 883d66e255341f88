import TimeZones

/// The scope of every question of a report: an app, a range of local days and the batches that
/// count.
package struct QueryScope: Sendable {
    /// The app whose events are asked for.
    package let app: QueryApp
    /// When the question is asked, milliseconds since 1970-01-01T00:00:00Z.
    package let now: Int64
    /// The time zone of the days.
    package let zone: TimeZoneRules
    /// The local day of `now`.
    package let today: CivilDate
    /// First and last local day, both included.
    package let from, to: CivilDate
    /// The batches that count.
    package let filter: ResourceFilter

    /// A scope; `today` has to be the day of `now` in the zone.
    package init(
        app: QueryApp, now: Int64, zone: TimeZoneRules, today: CivilDate, from: CivilDate,
        to: CivilDate, filter: ResourceFilter
    ) {
        self.app = app
        self.now = now
        self.zone = zone
        self.today = today
        self.from = from
        self.to = to
        self.filter = filter
    }

    /// The range cut into buckets: their indices number the values of an interval.
    package func buckets(by interval: Interval) -> Buckets {
        Buckets(from: from, to: to, by: interval)
    }
}
