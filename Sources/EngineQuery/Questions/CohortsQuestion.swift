import Engine
import Query
import TimeZones

/// Which devices come back (docs/reports.md, retention). The filters choose devices by their first event; all
/// their events count.
struct CohortsQuestion {
    private let scope: QueryScope
    private let interval: Interval
    private let periods: Int
    /// The first days of all periods that a column shows, but for those that begin after today.
    private let starts: [CivilDate]
    private let cohorts: Buckets

    init(_ scope: QueryScope, by interval: Interval, periods: Int) {
        (self.scope, self.interval, self.periods) = (scope, interval, periods)
        cohorts = scope.buckets(by: interval)
        var starts: [CivilDate] = []
        var next = cohorts.starts.first
        while let start = next, start <= scope.today, starts.count < cohorts.count + periods {
            starts.append(start)
            next = interval.next(after: start)
        }
        self.starts = starts
    }

    func ask(_ asking: inout Asking) throws(QueryError) -> [Cohort] {
        let source = Source(scope)
        let newcomers = source.newcomers(filtered: true)
        let cohort = source.bucket("first", by: interval)
        var sizes = [Int](repeating: 0, count: cohorts.count)
        let rows = try asking.rows(
            "SELECT \(cohort) AS c, count() FROM (\(newcomers)) GROUP BY c"
        ) { (row) throws(RowFailure) in (cohort: try row.index(), devices: try row.count()) }
        for (cohort, devices) in rows where sizes.indices.contains(cohort) {
            sizes[cohort] +|= devices
        }
        var counts = [Int](repeating: 0, count: cohorts.count * (periods + 1))
        for (cohort, period, devices) in try activity(newcomers, cohort, &asking) {
            let distance = period - cohort
            if sizes.indices.contains(cohort), (0...periods).contains(distance) {
                counts[cohort * (periods + 1) + distance] +|= devices
            }
        }
        return sizes.enumerated().map { cohort, size in
            Cohort(
                size: size,
                active: (0...periods).map { period in
                    cohort + period < starts.count
                        ? counts[cohort * (periods + 1) + period] : nil
                })
        }
    }

    /// How many devices of a cohort were active in a period, both counted from the first cohort's.
    private func activity(
        _ newcomers: String, _ cohort: String, _ asking: inout Asking
    ) throws(QueryError) -> [(cohort: Int, period: Int, devices: Int)] {
        guard let last = starts.last else { return [] }
        let end = interval.next(after: last)?.adding(days: -1) ?? scope.to
        let source = Source(scope, to: end)
        let window = scope.zone.window(from: scope.from, to: end)
        let within = source.time.within("t", from: scope.from, to: end)
        let batches = source.batches(
            """
            device, arrayDistinct(arrayMap(t -> \(source.bucket("t", by: interval)), \
            arrayFilter(t -> \(within), event.time))) AS ps
            """, in: window)
        let active = "SELECT DISTINCT device, p FROM (\(batches)) ARRAY JOIN ps AS p"
        return try asking.rows(
            """
            SELECT c, p, count() FROM (\(active)) AS l ALL INNER JOIN \
            (SELECT device, \(cohort) AS c FROM (\(newcomers))) AS r USING device GROUP BY c, p
            """
        ) { (row) throws(RowFailure) in
            (cohort: try row.index(), period: try row.index(), devices: try row.count())
        }
    }
}
