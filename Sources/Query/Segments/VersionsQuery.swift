import Database
import Storage
import TimeZones

/// How devices and sessions spread over the values of one member of the batches' resources. The
/// state is, for each device, its latest event in a bucket: bucket after bucket, so that what is
/// looked up stays small.
enum VersionsQuery {
    /// The sums of one value in a bucket.
    private struct Row {
        let value, bucket: Int
        var devices = 0
        var sessions = 0
        var new = 0
    }

    /// The sums of all values in all buckets in which they are met.
    private struct Rows: ReportShare {
        var names: ResourceValues
        private let buckets: Int
        /// By value and bucket.
        private var rows: RowValues<Row>

        init(_ names: ResourceValues, buckets: Int, _ account: ReportAccount) {
            self.names = names
            self.buckets = buckets
            rows = RowValues(account)
        }

        var all: [Row] { rows.all }

        private mutating func number(of value: Int, in bucket: Int) -> Int {
            rows.number(
                of: Int64(value * buckets + bucket), new: Row(value: value, bucket: bucket))
        }

        /// Adds a session.
        mutating func add(_ session: SessionScan.Found, in bucket: Int) throws(StorageError) {
            guard let value = try names.value(of: session.resource) else { return }
            rows[number(of: value, in: bucket)].sessions += 1
        }

        /// Adds the devices of a shard, which has those of a bucket. Throws what the database throws.
        mutating func add(_ shard: LatestShard, in bucket: Int) throws(StorageError) {
            var shard = shard
            try shard.settle { (a, b) throws(StorageError) in
                guard let a = try names.value(of: a) else { return true }
                guard let b = try names.value(of: b) else { return false }
                return a != b && names.codes.precedes(a, b)
            }
            for device in shard.latest where device.isThere {
                guard let value = try names.value(of: device.resource) else { continue }
                let number = number(of: value, in: bucket)
                rows[number].devices += 1
                if device.isNew { rows[number].new += 1 }
            }
        }

        mutating func merge(_ other: Rows) throws(StorageError) {
            let values = try names.merge(other.names)
            for one in other.all {
                let number = number(of: values[one.value], in: one.bucket)
                rows[number].devices += one.devices
                rows[number].sessions += one.sessions
                rows[number].new += one.new
            }
        }
    }

    /// Passes on which batches have the latest events of devices that are not shared.
    private struct Latest: LatestShare {
        let shared: SharedDevices
        var items: ShardedDevices<LatestShard>.Writer

        @inline(__always)
        mutating func add(latest time: Int64, of device: Int64, _ resource: Int64) {
            if shared.contains(device) { return }
            items.add(LatestShard.Item(device: device, time: time, resource: resource))
        }

        /// Adds those that are new. Throws what the database throws, and if the report has to end.
        mutating func add(_ newcomers: Newcomers, _ reading: Reading) throws(StorageError) {
            try newcomers.forEach(reading) { device, _ in
                items.add(LatestShard.Item(newcomer: device))
            }
        }

        mutating func merge(_ other: Latest) {
            var other = other
            other.items.finish()
        }
    }

    /// What one pass over segments finds.
    private struct Found: ReportShare {
        var rows: Rows
        var heads: HeadScan.Heads<Latest>

        mutating func merge(_ other: Found) throws(StorageError) {
            try rows.merge(other.rows)
            try heads.merge(other.heads)
        }
    }

    static func run(
        _ scope: QueryScope, by dimension: String, _ interval: Interval?, limit: Int,
        _ reading: Reading
    ) throws(StorageError) -> Versions {
        let buckets = scope.buckets(by: interval ?? .all)
        let none = Rows(
            ResourceValues(dimension, try ResourceTexts(reading), reading.account),
            buckets: buckets.count, reading.account)
        let shared = try SharedDevices(of: scope.app.id, reading)
        let newcomers = try Newcomers(scope, filter: .everything, reading)
        let values =
            buckets.count == 1
            ? try inOnePass(none, scope, shared, newcomers, reading)
            : try byBucket(none, scope, buckets, shared, newcomers, reading)
        return try ranked(values, of: buckets, limit: limit, reading)
    }

    /// Where the range is one bucket: sessions and devices are of the same segments, which are read once.
    private static func inOnePass(
        _ none: Rows, _ scope: QueryScope, _ shared: SharedDevices, _ newcomers: Newcomers,
        _ reading: Reading
    ) throws(StorageError) -> Rows {
        let scan = try HeadScan(scope, from: scope.from, to: scope.to, reading)
        let devices = ShardedDevices(LatestShard(reading.account))
        let latest = Latest(shared: shared, items: devices.writer(reading.account))
        let found = try SessionScan(scope, reading).collect(
            Found(rows: none, heads: scan.begin(latest)), reading,
            each: { (found, scan) throws(StorageError) in
                // Other threads read segments meanwhile. Devices without an event are not counted.
                if newcomers.take() { try found.heads.share.add(newcomers, reading) }
                try found.heads.add(&scan)
            }
        ) { (found, session) throws(StorageError) in
            try found.rows.add(session, in: 0)
        }
        var values = found.rows
        var all = try scan.finish(found.heads, reading)
        all.items.finish()
        try values.merge(try rows(of: devices, in: 0, none, reading))
        return values
    }

    private static func byBucket(
        _ none: Rows, _ scope: QueryScope, _ buckets: Buckets, _ shared: SharedDevices,
        _ newcomers: Newcomers, _ reading: Reading
    ) throws(StorageError) -> Rows {
        let new = try rows(of: newcomers, by: buckets, reading)
        // A value may have sessions and no device.
        var values = try SessionScan(scope, reading).collect(none, reading) {
            (rows, session) throws(StorageError) in
            if let bucket = buckets.index(ofDay: session.day) {
                try rows.add(session, in: bucket)
            }
        }
        for bucket in buckets.indices {
            let days = buckets.days(of: bucket)
            let devices = ShardedDevices(LatestShard(reading.account))
            var latest = try HeadScan(
                scope, from: days.lowerBound, to: days.upperBound, reading
            ).collect(Latest(shared: shared, items: devices.writer(reading.account)), reading)
            for device in new.rows[bucket] {
                latest.items.add(LatestShard.Item(newcomer: device))
            }
            latest.items.finish()
            try values.merge(try rows(of: devices, in: bucket, none, reading))
        }
        return values
    }

    /// The sums of a bucket's devices.
    private static func rows(
        of devices: ShardedDevices<LatestShard>, in bucket: Int, _ none: Rows, _ reading: Reading
    ) throws(StorageError) -> Rows {
        try devices.collect(none, reading) { (rows, shard) throws(StorageError) in
            try rows.add(shard, in: bucket)
        }
    }

    /// Devices by the bucket in which they were first seen, whatever they match.
    private static func rows(
        of newcomers: Newcomers, by buckets: Buckets, _ reading: Reading
    ) throws(StorageError) -> (rows: [[Int64]], held: HeldBytes) {
        var rows = [[Int64]](repeating: [], count: buckets.count)
        var held = HeldBytes(reading.account)
        try newcomers.forEach(reading) { device, day in
            if let bucket = buckets.index(ofDay: day) { rows[bucket].append(device, &held) }
        }
        return (rows, held)
    }

    /// The values that have most devices over all buckets, by bucket.
    private static func ranked(
        _ values: Rows, of buckets: Buckets, limit: Int, _ reading: Reading
    ) throws(StorageError) -> Versions {
        let (all, codes) = (values.all, values.names.codes)
        var totals = [Int](repeating: -1, count: codes.count)
        // Each device has one value in a bucket: their sum over all rows is all devices.
        var devices = [Int](repeating: 0, count: buckets.count)
        for one in all where one.devices + one.sessions > 0 {
            totals[one.value] = max(totals[one.value], 0) + one.devices
            devices[one.bucket] += one.devices
        }
        var room = HeldBytes(reading.account, totals.allocatedBytes)
        defer { withExtendedLifetime(room) {} }
        var ranking = Ranking(limit)
        try ranking.add(totals.indices, where: { totals[$0] >= 0 }, reading) { a, b in
            totals[a] != totals[b] ? totals[a] > totals[b] : codes.precedes(a, b)
        }
        var isShown = [Bool](repeating: false, count: codes.count)
        for value in ranking.ranked { isShown[value] = true }
        var rows = Ranking(.max)
        try rows.add(
            all.indices,
            where: { isShown[all[$0].value] && all[$0].devices + all[$0].sessions > 0 }, reading
        ) { a, b in
            let (a, b) = (all[a], all[b])
            if a.bucket != b.bucket { return a.bucket < b.bucket }
            return a.devices != b.devices
                ? a.devices > b.devices : codes.precedes(a.value, b.value)
        }
        room.add(rows.ranked.count * NamedSums.rowBytes)
        try reading.check()
        let shown = rows.ranked.map { row in
            Versions.Value(
                bucket: all[row].bucket, name: codes[all[row].value], devices: all[row].devices,
                sessions: all[row].sessions, new: all[row].new)
        }
        return Versions(values: shown, devices: devices)
    }
}
