import TimeZones

/// What every question of a report is about: an app, a range of local days and the batches that count.
package struct QueryScope: Sendable {
    /// The app whose events are asked for.
    package let app: QueryApp
    /// When it is asked, milliseconds since 1970-01-01T00:00:00Z.
    package let now: Int64
    /// The zone in which days are cut.
    package let zone: TimeZoneRules
    /// The local day of `now`.
    package let today: CivilDate
    /// First and last local day, both included.
    package let from, to: CivilDate
    /// Which batches count.
    package let filter: ResourceFilter

    /// A scope; `today` follows from `now` and the zone.
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

    /// The range cut into buckets: values that are asked for by an interval are numbered by these.
    package func buckets(by interval: Interval) -> Buckets {
        Buckets(from: from, to: to, by: interval)
    }
}
