import Engine
import Query
import TimeZones

/// Whether the numbers can be trusted, by the bucket in which batches arrived (docs/reports.md, quality).
struct ArrivalsQuestion {
    private let interval: Interval
    private let percents: [Int]
    private let clients: Int
    private let source: Source
    private let buckets: Buckets

    /// A greater step is no hole: the device has begun to count from the start.
    private static let greatestStep = 10_000

    init(_ scope: QueryScope, by interval: Interval, percents: [Int], clients: Int) {
        (self.interval, self.percents, self.clients) = (interval, percents, clients)
        source = Source(scope)
        buckets = scope.buckets(by: interval)
    }

    private typealias Bucket = Arrivals.Bucket

    /// The batches that the rows count.
    private var kept: String {
        let filter = source.filter.map { " AND \($0)" } ?? ""
        return "\(source.isOwn)\(filter) AND \(source.within("received_at"))"
    }

    private var bucket: String { source.bucket("received_at", by: interval) }

    func ask(_ asking: inout Asking) throws(QueryError) -> Arrivals {
        var values = try batches(&asking)
        try addArrivals(to: &values, &asking)
        try addHoles(to: &values, &asking)
        try addLateness(to: &values, &asking)
        let all = values.reduce(into: Totals()) { $0.add($1) }
        let (profiles, keys) = try names(&asking)
        return Arrivals(
            buckets: values, profiles: profiles, keys: keys, clients: try clients(all, &asking))
    }

    private func batches(_ asking: inout Asking) throws(QueryError) -> [Bucket] {
        // 2^53 − 1 a batch, so that a sum may be beyond 64 bits: halves are not.
        let rows = try asking.rows(
            """
            SELECT \(bucket) AS b, count(), sum(accepted), sum(rejected), \
            countIf(clock_shift != 0), \(Halves.sum("dropped_events")) \
            FROM batch FINAL WHERE \(kept) GROUP BY b
            """
        ) { (row) throws(RowFailure) in
            var bucket = Bucket()
            let index = try row.index()
            bucket.batches = try row.count()
            bucket.events = Int128(try row.uint64())
            bucket.rejected = Int128(try row.uint64())
            bucket.corrected = try row.count()
            bucket.dropped = try Halves.read(&row)
            return (index: index, bucket: bucket)
        }
        var values = [Bucket](repeating: Bucket(), count: buckets.count)
        for (index, bucket) in rows where values.indices.contains(index) {
            values[index].batches +|= bucket.batches
            values[index].events += bucket.events
            values[index].rejected += bucket.rejected
            values[index].corrected +|= bucket.corrected
            values[index].dropped += bucket.dropped
        }
        return values
    }

    /// How often batches came, and how large that was: what is more than the batches themselves came again.
    private func addArrivals(
        to values: inout [Bucket], _ asking: inout Asking
    ) throws(QueryError) {
        let time = RefusalsQuestion.quarter
        let filter = source.filter.map { " AND \($0)" } ?? ""
        let rows = try asking.rows(
            """
            SELECT \(source.bucket(time, by: interval)) AS b, sum(times), sum(body_bytes) \
            FROM arrival FINAL WHERE \(source.isOwn)\(filter) AND \(source.within(time)) GROUP BY b
            """
        ) { (row) throws(RowFailure) in
            (index: try row.index(), times: Int128(try row.uint64()), bytes: try row.int64())
        }
        var times = [Int128](repeating: 0, count: values.count)
        for row in rows where values.indices.contains(row.index) {
            times[row.index] += row.times
            values[row.index].bytes += Int128(row.bytes)
        }
        for index in values.indices {
            values[index].duplicates = max(0, times[index] - Int128(values[index].batches))
        }
    }

    /// Numbers that are missing between two neighbours; the filters do not matter.
    private func addHoles(
        to values: inout [Bucket], _ asking: inout Asking
    ) throws(QueryError) {
        let rows = try asking.rows(
            """
            SELECT \(source.bucket("t", by: interval)) AS b, sum(step - 1) FROM \
            (SELECT y.1 - x.1 AS step, y.2 AS t FROM \
            (SELECT arrayPopBack(ks) AS xs, arrayPopFront(ks) AS ys FROM \
            (SELECT arraySort(groupArray((sequence, received_at))) AS ks FROM batch FINAL \
            WHERE \(source.isOwn) AND sequence >= 0 AND device NOT IN \(source.shared) \
            GROUP BY device)) ARRAY JOIN xs AS x, ys AS y) \
            WHERE step > 1 AND step <= \(Self.greatestStep) AND \(source.within("t")) GROUP BY b
            """
        ) { (row) throws(RowFailure) in (index: try row.index(), missing: try row.int64()) }
        for row in rows where values.indices.contains(row.index) {
            values[row.index].missing += Int128(row.missing)
        }
    }

    private func addLateness(
        to values: inout [Bucket], _ asking: inout Asking
    ) throws(QueryError) {
        let none = percents.map { _ in Int64?.none }
        for index in values.indices { values[index].late = none }
        if percents.isEmpty { return }
        let late = """
            SELECT b, received_at - t AS late FROM (SELECT \(bucket) AS b, received_at, \
            event.time AS ts FROM batch FINAL WHERE \(kept)) ARRAY JOIN ts AS t
            """
        guard asking.isOneShard else {
            let search = RankSearches(
                values: "SELECT toString(b) AS g, late AS v FROM (\(late))", percents: percents)
            let found = try search.findIntegers(&asking)
            for index in values.indices {
                values[index].late = found[Array("\(index)".utf8)] ?? none
            }
            return
        }
        let rows = try asking.rows(
            "SELECT b, \(Percentiles.sql(percents, of: "late")) FROM (\(late)) GROUP BY b"
        ) { (row) throws(RowFailure) in (index: try row.index(), ranks: try row.integers()) }
        for row in rows where values.indices.contains(row.index) {
            if row.ranks.count == percents.count { values[row.index].late = row.ranks }
        }
    }

    private typealias Named = [(name: ByteText, batches: Int)]

    private func names(
        _ asking: inout Asking
    ) throws(QueryError) -> (profiles: Named, keys: Named) {
        let rows = try asking.rows(
            "SELECT profile, key, count() FROM batch FINAL WHERE \(kept) GROUP BY profile, key"
        ) { (row) throws(RowFailure) in
            (profile: try row.text(), key: try row.text(), count: try row.count())
        }
        var (profiles, keys): ([ByteText: Int], [ByteText: Int]) = ([:], [:])
        for row in rows {
            profiles[row.profile, default: 0] +|= row.count
            if !row.key.bytes.isEmpty { keys[row.key, default: 0] +|= row.count }
        }
        func sorted(_ counts: [ByteText: Int]) -> Named {
            counts.map { ($0.key, $0.value) }.sorted { $0.name < $1.name }
        }
        return (sorted(profiles), sorted(keys))
    }

    /// Sums over all clients.
    private struct Totals {
        var batches = 0
        var rejected: Int128 = 0
        var dropped: Int128 = 0

        mutating func add(_ bucket: Bucket) {
            batches +|= bucket.batches
            rejected += bucket.rejected
            dropped += bucket.dropped
        }

        /// With sums of at most 2^53−1.
        var shown: Arrivals.ClientSums {
            let greatest: Int128 = 9_007_199_254_740_991
            var sums = Arrivals.ClientSums()
            sums.batches = batches
            sums.rejected = Int64(clamping: min(rejected, greatest))
            sums.dropped = Int64(clamping: min(dropped, greatest))
            return sums
        }
    }

    /// The clients that sent the greatest numbers of batches by their names, and all others together.
    private func clients(
        _ all: Totals, _ asking: inout Asking
    ) throws(QueryError) -> Arrivals.Clients {
        let name = "concat(\(SQL.known("sdk_name")), '/', \(SQL.known("sdk_version")))"
        let rows: [(name: ByteText, batches: Int, rejected: Int128, dropped: Int128)] =
            try asking.ranked(
                limit: clients, name: \.name, total: { Int64($0.batches) },
                { selection in
                    """
                    SELECT \(name) AS n, count() AS total, sum(rejected), \
                    \(Halves.sum("dropped_events")) FROM batch FINAL WHERE \(kept) \
                    GROUP BY n\(selection.sql())
                    """
                }
            ) { (row) throws(RowFailure) in
                (
                    name: try row.text(), batches: try row.count(),
                    rejected: Int128(try row.uint64()), dropped: try Halves.read(&row)
                )
            }
        var sums: [ByteText: Totals] = [:]
        for row in rows {
            sums[row.name, default: Totals()].batches +|= row.batches
            sums[row.name]?.rejected += row.rejected
            sums[row.name]?.dropped += row.dropped
        }
        let named = sums.sorted { a, b in
            a.value.batches != b.value.batches
                ? a.value.batches > b.value.batches : a.key < b.key
        }.prefix(max(0, clients))
        var others = all
        var clients = Arrivals.Clients()
        for (name, sum) in named {
            others.batches -= sum.batches
            others.rejected -= sum.rejected
            others.dropped -= sum.dropped
            clients.named.append((name, sum.shown))
        }
        clients.named.sort { $0.name < $1.name }
        // Each client has a batch.
        if others.batches > 0 { clients.others = others.shown }
        return clients
    }
}

/// Sums of whole numbers that 64 bits may not hold.
private enum Halves {
    /// Two sums: of the lower 32 bits, and of the others.
    static func sum(_ column: String) -> String {
        "sum(bitAnd(\(column), 4294967295)), sum(bitShiftRight(\(column), 32))"
    }

    static func read(_ row: inout RowBinary.Reader) throws(RowFailure) -> Int128 {
        let low = Int128(try row.int64())
        return Int128(try row.int64()) << 32 + low
    }
}
