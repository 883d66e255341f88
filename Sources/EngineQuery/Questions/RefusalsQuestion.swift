import Engine
import Query
import TimeZones

/// What was refused and why, by the bucket in which it arrived (docs/reports.md, rejects).
struct RefusalsQuestion {
    private let interval: Interval
    private let source: Source
    private let buckets: Buckets

    init(_ scope: QueryScope, by interval: Interval) {
        self.interval = interval
        source = Source(scope)
        buckets = scope.buckets(by: interval)
    }

    private struct Key: Hashable {
        let bucket: Int
        let code: ByteText
    }

    /// The instant at which a quarter of an hour begins.
    static let quarter = "(quarter * 900000)"

    func ask(_ asking: inout Asking) throws(QueryError) -> [RefusalSum] {
        var sums: [Key: (batches: Int128, events: Int128)] = [:]
        // No device is known of a refused batch: they are all on the first shard.
        let batches = try asking.rows(
            """
            SELECT \(source.bucket(Self.quarter, by: interval)) AS b, code, sum(batches) \
            FROM refusal FINAL WHERE \(source.isOwn) AND \(source.within(Self.quarter)) \
            GROUP BY b, code
            """, shard: 0, Self.row)
        for (bucket, code, count) in batches {
            sums[Key(bucket: bucket, code: code), default: (0, 0)].batches += count
        }
        let events = try asking.rows(
            """
            SELECT b, code, sum(n) FROM (SELECT \(source.bucket("received_at", by: interval)) AS b, \
            rejection.code AS codes, rejection.events AS ns FROM batch FINAL \
            WHERE \(source.isOwn) AND \(source.within("received_at"))) \
            ARRAY JOIN codes AS code, ns AS n GROUP BY b, code
            """, Self.row)
        for (bucket, code, count) in events {
            sums[Key(bucket: bucket, code: code), default: (0, 0)].events += count
        }
        return sums.filter { buckets.indices.contains($0.key.bucket) }.map { key, sum in
            RefusalSum(
                bucket: key.bucket, code: key.code, batches: sum.batches, events: sum.events)
        }.sorted { $0.bucket != $1.bucket ? $0.bucket < $1.bucket : $0.code < $1.code }
    }

    private static func row(
        _ row: inout RowBinary.Reader
    ) throws(RowFailure) -> (bucket: Int, code: ByteText, count: Int128) {
        (bucket: try row.index(), code: try row.text(), count: Int128(try row.uint64()))
    }
}
