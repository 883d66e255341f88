import Database
import Storage
import TimeZones

/// What was refused and why, by the bucket in which it arrived. The state is sums.
enum RefusalsQuery {
    /// Sums over what was refused for one reason in one bucket.
    private struct Sum {
        var batches: Int128 = 0
        var events: Int128 = 0
    }

    private struct Key: Hashable {
        let bucket: Int
        let code: Int
    }

    static func run(
        _ scope: QueryScope, by interval: Interval, _ reading: Reading
    ) throws(StorageError) -> [RefusalSum] {
        var arrivals = ArrivalBuckets(scope, by: interval)
        var codes = TextCodes()
        var sums: [Key: Sum] = [:]

        let batches = try reading.prepare(
            """
            SELECT quarter, code, batches FROM refusal
            WHERE app = ?1 AND quarter >= ?2 AND quarter <= ?3
            """)
        try batches.bind(1, scope.app.id)
        try batches.bind(2, arrivals.quarters.lowerBound)
        try batches.bind(3, arrivals.quarters.upperBound)
        while try batches.step() {
            guard let bucket = arrivals.index(ofQuarter: batches.int(0)) else { continue }
            let code = batches.withText(1) { codes.code(of: $0) }
            sums[Key(bucket: bucket, code: code), default: Sum()].batches += Int128(batches.int(2))
        }

        let events = try reading.prepare(
            """
            SELECT b.received_at, r.code, r.events
            FROM rejection AS r CROSS JOIN batch AS b
            WHERE r.app = ?1 AND b.id = r.batch
            """)
        try events.bind(1, scope.app.id)
        while try events.step() {
            guard let bucket = arrivals.index(of: events.int(0)) else { continue }
            let code = events.withText(1) { codes.code(of: $0) }
            sums[Key(bucket: bucket, code: code), default: Sum()].events += Int128(events.int(2))
        }

        let ordered = sums.sorted { a, b in
            a.key.bucket != b.key.bucket
                ? a.key.bucket < b.key.bucket : codes.precedes(a.key.code, b.key.code)
        }
        return ordered.map { key, sum in
            RefusalSum(
                bucket: key.bucket, code: codes[key.code], batches: sum.batches,
                events: sum.events)
        }
    }
}
