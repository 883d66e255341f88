import Engine
import Query
import TimeZones

/// How devices and sessions spread over the values of one member of the batches' resources (docs/reports.md,
/// versions): each device counts by its latest event in a bucket, of equally late ones by the greatest value.
struct VersionsQuestion {
    private let scope: QueryScope
    private let column: String
    private let interval: Interval?
    private let limit: Int
    private let source: Source

    init(_ scope: QueryScope, by dimension: String, _ interval: Interval?, limit: Int) {
        (self.scope, self.interval, self.limit) = (scope, interval, limit)
        column = SQL.known(Source.column(dimension))
        source = Source(scope)
    }

    /// How many buckets there are.
    private var buckets: Int { scope.bucketCount(by: interval) }

    private struct Key: Hashable {
        let name: ByteText
        let bucket: Int
    }

    func ask(_ asking: inout Asking) throws(QueryError) -> Versions {
        var rows: [Key: Versions.Value] = [:]
        func add(_ key: Key, _ change: (inout Versions.Value) -> Void) {
            var value =
                rows[key]
                ?? Versions.Value(
                    bucket: key.bucket, name: key.name, devices: 0, sessions: 0, new: 0)
            change(&value)
            rows[key] = value
        }
        for one in try devices(&asking) {
            add(Key(name: one.name, bucket: one.bucket)) {
                $0.devices +|= one.devices
                $0.new +|= one.new
            }
        }
        for one in try sessions(&asking) {
            add(Key(name: one.name, bucket: one.bucket)) { $0.sessions +|= one.sessions }
        }
        try asking.check()
        return ranked(rows)
    }

    private func devices(
        _ asking: inout Asking
    ) throws(QueryError) -> [(bucket: Int, name: ByteText, devices: Int, new: Int)] {
        let (bucket, buckets) = (source.bucket("e_time", by: interval), buckets)
        let events = source.events(
            "device, v, \(bucket) AS b, e_time", [.time], batch: ["device", "\(column) AS v"],
            rows: [source.filter, "device NOT IN \(source.shared)"].compactMap { $0 }
                .joined(separator: " AND "),
            window: source.window, where: source.within("e_time"))
        // A device that was not first seen in the range has no bucket of that: 0.
        return try asking.rows(
            """
            SELECT b, w, count(), countIf(f = b + 1) FROM \
            (SELECT device, b, argMax(v, \(SQL.ordered("e_time", "v"))) AS w FROM (\(events)) GROUP BY device, b) \
            AS l ALL LEFT JOIN (SELECT device, \(source.bucket("first", by: interval)) + 1 AS f \
            FROM (\(source.newcomers(filtered: false)))) AS r USING device GROUP BY b, w
            """
        ) { (row) throws(RowFailure) in
            (
                bucket: try row.bucket(of: buckets), name: try row.text(), devices: try row.count(),
                new: try row.count()
            )
        }
    }

    private func sessions(
        _ asking: inout Asking
    ) throws(QueryError) -> [(bucket: Int, name: ByteText, sessions: Int)] {
        let buckets = buckets
        return try asking.rows(
            """
            SELECT \(source.bucket("start", by: interval)) AS b, own, count() \
            FROM (\(SessionSource(source: source).rows(own: column))) GROUP BY b, own
            """
        ) { (row) throws(RowFailure) in
            (bucket: try row.bucket(of: buckets), name: try row.text(), sessions: try row.count())
        }
    }

    /// The values with the greatest sums of devices over all buckets, by bucket.
    private func ranked(_ rows: [Key: Versions.Value]) -> Versions {
        var totals: [ByteText: Int] = [:]
        // Each device has one value in a bucket: their sum over all rows is all devices.
        var devices = [Int](repeating: 0, count: buckets)
        for row in rows.values {
            totals[row.name, default: 0] +|= row.devices
            devices[row.bucket] +|= row.devices
        }
        let names = totals.sorted { $0.value != $1.value ? $0.value > $1.value : $0.key < $1.key }
        let shown = Set(names.prefix(max(0, limit)).map(\.key))
        let values = rows.values.filter { shown.contains($0.name) }.sorted { a, b in
            if a.bucket != b.bucket { return a.bucket < b.bucket }
            return a.devices != b.devices ? a.devices > b.devices : a.name < b.name
        }
        return Versions(values: values, devices: devices)
    }
}
