import Engine
import Query
import TimeZones

/// Sums by name, and by bucket: what a question ranks names by.
struct NamedRows {
    /// A name's sums, in no order of buckets.
    struct Name {
        let name: ByteText
        /// By which names are ranked: the sum of all amounts, at most 2^53−1.
        fileprivate(set) var total: Int64
        fileprivate(set) var sums: [Sum]
    }

    /// A name's sums in one bucket.
    struct Sum {
        let bucket: Int
        var total: Int64
        var events: Int
        var devices: Int
        /// What was asked for besides. Of several shards the first two are the least and the greatest.
        var figures: [Double]
    }

    /// The first names, in order.
    private(set) var names: [Name] = []

    private static let greatest: Int64 = 9_007_199_254_740_991
    /// Bytes that a row of an answer takes, about, until it is text.
    private static let rowBytes = 256

    /// Asks for the sums of the first names by their totals, ties by the names' bytes.
    /// - Parameters:
    ///   - rows: a statement of rows `n`, `b`, `v`, `device` and `sh`: name, bucket, amount, and what is
    ///     needed to count devices
    ///   - figures: an aggregate of rows of a name and a bucket, an array of doubles
    ///   - buckets: how many there are
    ///   - limit: how many names
    init(
        _ rows: String, figures: String? = nil, buckets: Int = 1, limit: Int,
        _ asking: inout Asking
    ) throws(QueryError) {
        let found = try asking.ranked(
            limit: limit, name: \.name, total: \.total,
            { selection in
                """
                SELECT n, groupArray(b), groupArray(c), groupArray(s), groupArray(u), \
                groupArray(x), \(SQL.held("sum(s)")) AS total FROM \
                (SELECT n, b, count() AS c, toInt64(sum(v)) AS s, \
                uniqExactIf(device, NOT sh) AS u, \(figures ?? "emptyArrayFloat64()") AS x \
                FROM (\(rows)) GROUP BY n, b) GROUP BY n\(selection.sql())
                """
            }
        ) { (row) throws(RowFailure) in
            let name = try row.text()
            let numbers = try row.array { (row) throws(RowFailure) in
                try row.bucket(of: buckets)
            }
            let events = try row.counts()
            let (totals, devices) = (try row.integers(), try row.counts())
            let figures = try row.array { (row) throws(RowFailure) in try row.doubles() }
            var sums: [Sum] = []
            for index in numbers.indices
            where index < events.count && index < totals.count && index < devices.count
                && index < figures.count
            {
                sums.append(
                    Sum(
                        bucket: numbers[index], total: min(totals[index], Self.greatest),
                        events: events[index], devices: devices[index], figures: figures[index]))
            }
            return Name(name: name, total: try row.int64(), sums: sums)
        }
        names = asking.isOneShard ? found : Self.merged(found)
        names.sort { $0.total != $1.total ? $0.total > $1.total : $0.name < $1.name }
        if names.count > limit { names.removeLast(names.count - max(0, limit)) }
        asking.hold(names.reduce(0) { $0 + $1.sums.count } * Self.rowBytes)
        try asking.check()
    }

    /// Puts together what several shards have.
    private static func merged(_ found: [Name]) -> [Name] {
        var indices: [ByteText: Int] = [:]
        var names: [Name] = []
        for name in found {
            guard let known = indices[name.name] else {
                indices[name.name] = names.count
                names.append(name)
                continue
            }
            names[known].total = saturated(names[known].total, name.total)
            names[known].sums += name.sums
        }
        for index in names.indices { names[index].sums = merged(names[index].sums) }
        return names
    }

    private static func merged(_ sums: [Sum]) -> [Sum] {
        var all: [Int: Sum] = [:]
        for sum in sums {
            guard var known = all[sum.bucket] else {
                all[sum.bucket] = sum
                continue
            }
            known.total = saturated(known.total, sum.total)
            known.events +|= sum.events
            known.devices +|= sum.devices
            if known.figures.count >= 2, sum.figures.count >= 2 {
                known.figures[0] = min(known.figures[0], sum.figures[0])
                known.figures[1] = max(known.figures[1], sum.figures[1])
            }
            all[sum.bucket] = known
        }
        return Array(all.values)
    }

    /// The sum of what is not below 0, at most `greatest`.
    static func saturated(_ a: Int64, _ b: Int64) -> Int64 {
        min(a.addingReportingOverflow(b).overflow ? Int64.max : a + b, greatest)
    }

    /// The sums in the order of an answer: without buckets that of the names, else by bucket, there by total,
    /// ties by the names' bytes.
    func rows(by buckets: Bool) -> [(sum: Sum, name: ByteText)] {
        var rows: [(sum: Sum, name: ByteText)] = []
        for name in names {
            for sum in name.sums { rows.append((sum, name.name)) }
        }
        if buckets {
            rows.sort { a, b in
                if a.sum.bucket != b.sum.bucket { return a.sum.bucket < b.sum.bucket }
                if a.sum.total != b.sum.total { return a.sum.total > b.sum.total }
                return a.name < b.name
            }
        }
        return rows
    }

    /// The same as values.
    /// - Parameter text: a name as it is shown
    func ranked(by buckets: Bool, _ text: (ByteText) -> ByteText?) -> [NamedSum] {
        rows(by: buckets).map { row in
            NamedSum(
                bucket: row.sum.bucket, name: text(row.name), total: row.sum.total,
                events: row.sum.events, devices: row.sum.devices)
        }
    }
}

extension QueryScope {
    /// How many buckets an answer has; nil: all is one.
    func bucketCount(by interval: Interval?) -> Int { buckets(by: interval ?? .all).count }
}
