import Engine
import Query
import TimeZones

/// How long devices stay (docs/reports.md, lifetime).
struct LifetimesQuestion {
    private let scope: QueryScope
    private let inactive: Int

    init(_ scope: QueryScope, inactive: Int) {
        (self.scope, self.inactive) = (scope, inactive)
    }

    func ask(_ asking: inout Asking) throws(QueryError) -> [Lifetime] {
        let source = Source(scope)
        let last = """
            SELECT device, max(arrayReduce('max', arrayConcat([toInt64(\(scope.from.number))], \
            arrayMap(t -> \(source.time.day("t")), arrayFilter(t -> \(source.within("t")), \
            event.time))))) AS z FROM batch FINAL WHERE \(source.isOwn) \
            AND last_time >= \(source.window.lowerBound) \
            AND first_time < \(source.window.upperBound) GROUP BY device
            """
        // Of a device whose events were pruned only the first day is known.
        let rows = try asking.rows(
            """
            SELECT toInt64(g - f) AS t, toUInt8(\(scope.to.number) - g >= \(inactive)) AS lost, \
            count() FROM (SELECT f, greatest(z, f) AS g FROM \
            (SELECT device, \(source.time.day("first")) AS f \
            FROM (\(source.newcomers(filtered: true)))) AS l \
            ALL LEFT JOIN (\(last)) AS r USING device) GROUP BY t, lost
            """
        ) { (row) throws(RowFailure) in
            (days: try row.index(), isLost: try row.uint8() != 0, devices: try row.count())
        }
        var lives: [Lifetime] = []
        let longest = scope.to.number - scope.from.number
        for (days, isLost, devices) in rows where (0...longest).contains(days) {
            while lives.count <= days { lives.append(Lifetime()) }
            lives[days].ended +|= devices
            if isLost { lives[days].lost +|= devices }
        }
        return lives
    }
}
