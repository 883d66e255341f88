import Engine
import Query
import TimeZones

/// How many sessions began in each bucket, and how long they were (docs/reports.md, sessions).
struct SessionsQuestion {
    private let scope: QueryScope
    private let interval: Interval
    private let percents: [Int]
    private let source: Source

    init(_ scope: QueryScope, by interval: Interval, percents: [Int]) {
        (self.scope, self.interval, self.percents) = (scope, interval, percents)
        source = Source(scope)
    }

    private struct Row {
        let bucket: Int
        let sums: SessionSums
    }

    func ask(_ asking: inout Asking) throws(QueryError) -> [SessionSums] {
        let sessions = SessionSource(source: source)
        let bucket = source.bucket("start", by: interval)
        let ranks =
            asking.isOneShard ? Percentiles.sql(percents, of: "dur") : "emptyArrayInt64()"
        let rows = try asking.rows(
            """
            SELECT b, count(), countIf(NOT sh), uniqExactIf(device, NOT sh), sum(dur), \
            countIf(\(SessionSource.isClosed)), countIf(\(sessions.isOpen)), \(ranks) \
            FROM (SELECT device, \(bucket) AS b, dur, z, \(source.isShared) \
            FROM (\(sessions.rows()))) GROUP BY b
            """, Self.row)
        var values = [SessionSums](
            repeating: SessionSums(), count: scope.buckets(by: interval).count)
        for row in rows where values.indices.contains(row.bucket) {
            values[row.bucket].add(row.sums)
        }
        if !asking.isOneShard {
            let search = RankSearches(
                values: "SELECT toString(\(bucket)) AS g, dur AS v FROM (\(sessions.rows()))",
                percents: percents)
            let found = try search.findIntegers(&asking)
            for bucket in values.indices {
                values[bucket].ranks = found[Array("\(bucket)".utf8)] ?? []
            }
        }
        for bucket in values.indices
        where values[bucket].sessions == 0 || values[bucket].ranks.count != percents.count {
            values[bucket].ranks = percents.map { _ in nil }
        }
        return values
    }

    private static func row(_ row: inout RowBinary.Reader) throws(RowFailure) -> Row {
        let bucket = try row.index()
        var sums = SessionSums()
        sums.sessions = try row.count()
        sums.unshared = try row.count()
        sums.devices = try row.count()
        sums.duration = Int128(try row.int64())
        sums.closed = try row.count()
        sums.open = try row.count()
        sums.inferred = sums.sessions - sums.closed - sums.open
        sums.ranks = try row.integers()
        return Row(bucket: bucket, sums: sums)
    }
}

extension SessionSums {
    /// Adds what another shard has.
    fileprivate mutating func add(_ other: SessionSums) {
        sessions +|= other.sessions
        unshared +|= other.unshared
        devices +|= other.devices
        duration += other.duration
        closed +|= other.closed
        inferred +|= other.inferred
        open +|= other.open
        ranks = other.ranks
    }
}
