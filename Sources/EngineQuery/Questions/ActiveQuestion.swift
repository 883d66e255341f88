import Engine
import Query
import TimeZones

/// How many devices were active (docs/reports.md, active).
struct ActiveQuestion {
    private let scope: QueryScope
    private let interval: Interval
    private let trailing: [Int]
    private let source: Source
    /// How many days before the range count too.
    private let lookback: Int

    init(_ scope: QueryScope, by interval: Interval, trailing: [Int]) {
        self.scope = scope
        self.interval = interval
        self.trailing = interval == .day ? trailing : []
        lookback = max(0, (self.trailing.max() ?? 1) - 1)
        source = Source(scope, from: scope.from.adding(days: -lookback))
    }

    func ask(_ asking: inout Asking) throws(QueryError) -> [ActiveDevices] {
        interval == .day ? try byDay(&asking) : try byBucket(&asking)
    }

    /// A device's days, or buckets, as `x`, one row for each that a batch has: the values of a batch are made
    /// distinct before it is taken apart.
    private func days(_ number: (_ time: String) -> String) -> String {
        let from = scope.from.adding(days: -lookback)
        let window = scope.zone.window(from: from, to: scope.to)
        let within = source.time.within("t", from: from, to: scope.to)
        let batches = source.batches(
            """
            device, arrayDistinct(arrayMap(t -> \(number("t")), \
            arrayFilter(t -> \(within), event.time))) AS xs
            """,
            in: window, where: [source.filter, "device NOT IN \(source.shared)"])
        return "SELECT device, x FROM (\(batches)) ARRAY JOIN xs AS x"
    }

    /// A device was first seen on `x`, and active then.
    private func new(
        _ days: String, _ number: (_ time: String) -> String
    ) -> String {
        """
        SELECT x, count() FROM (SELECT DISTINCT device, x FROM (\(days))) AS l \
        ALL INNER JOIN (SELECT device, \(number("first")) AS x \
        FROM (\(source.newcomers(filtered: false)))) AS r USING device, x GROUP BY x
        """
    }

    private func byDay(_ asking: inout Asking) throws(QueryError) -> [ActiveDevices] {
        let first = scope.from.number
        let days = days(source.time.day)
        // Each of a device's days stands for itself and for the following ones without another.
        let longest = lookback + 1
        let reaches = try asking.rows(
            """
            SELECT x, toInt64(least(y - x, \(longest))) AS reach, count() FROM \
            (SELECT arraySort(groupUniqArray(x)) AS xs, \
            arrayPushBack(arrayPopFront(xs), toInt64(\(scope.to.number + longest + 1))) AS ys \
            FROM (\(days)) GROUP BY device) ARRAY JOIN xs AS x, ys AS y GROUP BY x, reach
            """
        ) { (row) throws(RowFailure) in
            (day: try row.index() - first, reach: try row.index(), devices: try row.count())
        }
        let count = scope.to.number - first + 1
        var values = [ActiveDevices](
            repeating: ActiveDevices(trailing: trailing.map { _ in 0 }), count: count)
        for (day, reach, devices) in reaches {
            if values.indices.contains(day) { values[day].active +|= devices }
            for (index, length) in trailing.enumerated() {
                let (first, end) = (max(0, day), min(count, day + min(reach, length)))
                if first >= end { continue }
                for later in first..<end { values[later].trailing[index] +|= devices }
            }
        }
        let new = try asking.rows(new(days, source.time.day)) { (row) throws(RowFailure) in
            (day: try row.index() - first, devices: try row.count())
        }
        for (day, devices) in new where values.indices.contains(day) { values[day].new +|= devices }
        return values
    }

    private func byBucket(_ asking: inout Asking) throws(QueryError) -> [ActiveDevices] {
        let number = { source.bucket($0, by: interval) }
        let days = days(number)
        var values = [ActiveDevices](
            repeating: ActiveDevices(), count: scope.buckets(by: interval).count)
        let active = try asking.rows(
            "SELECT x, uniqExact(device) FROM (\(days)) GROUP BY x"
        ) { (row) throws(RowFailure) in (bucket: try row.index(), devices: try row.count()) }
        for (bucket, devices) in active where values.indices.contains(bucket) {
            values[bucket].active +|= devices
        }
        let new = try asking.rows(new(days, number)) { (row) throws(RowFailure) in
            (bucket: try row.index(), devices: try row.count())
        }
        for (bucket, devices) in new where values.indices.contains(bucket) {
            values[bucket].new +|= devices
        }
        return values
    }
}
