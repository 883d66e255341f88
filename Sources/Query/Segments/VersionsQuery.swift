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
        private var codes: RowCodes
        private(set) var all: [Row] = []
        private var held: HeldBytes

        init(_ names: ResourceValues, buckets: Int, _ account: ReportAccount) {
            self.names = names
            self.buckets = buckets
            codes = RowCodes(account)
            held = HeldBytes(account)
        }

        /// The index in `all` of a value in a bucket.
        mutating func index(of value: Int, in bucket: Int) -> Int {
            let code = codes.code(of: Int64(value * buckets + bucket))
            if code == all.count { all.append(Row(value: value, bucket: bucket), &held) }
            return code
        }

        /// Adds a session.
        mutating func add(_ session: SessionScan.Found, in bucket: Int) throws(StorageError) {
            guard let value = try names.value(of: session.resource) else { return }
            all[index(of: value, in: bucket)].sessions += 1
        }

        /// Adds the devices of a bucket, of which some are new.
        mutating func add(
            _ devices: Devices, new: [Int64], in bucket: Int
        ) throws(StorageError) {
            let indexes = try names.merge(devices.values).map { index(of: $0, in: bucket) }
            for last in devices.latest { all[indexes[last.value]].devices += 1 }
            for device in new {
                if let code = devices.codes.known(device) {
                    all[indexes[devices.latest[code].value]].new += 1
                }
            }
        }

        mutating func merge(_ other: Rows) throws(StorageError) {
            let values = try names.merge(other.names)
            for one in other.all {
                let index = index(of: values[one.value], in: one.bucket)
                all[index].devices += one.devices
                all[index].sessions += one.sessions
                all[index].new += one.new
            }
        }
    }

    /// The time of a device's latest event, and its value.
    private struct Latest {
        var time: Int64
        var value: Int
    }

    private struct Devices: LatestShare {
        var values: ResourceValues
        private let shared: SharedDevices
        var codes: RowCodes
        var latest: [Latest] = []
        private var held: HeldBytes

        init(_ values: ResourceValues, _ shared: SharedDevices, _ account: ReportAccount) {
            self.values = values
            self.shared = shared
            codes = RowCodes(account)
            held = HeldBytes(account)
        }

        mutating func add(
            latest time: Int64, of device: Int64, _ resource: Int64
        ) throws(StorageError) {
            guard let value = try values.value(of: resource), !shared.contains(device)
            else { return }
            add(device, Latest(time: time, value: value))
        }

        @inline(__always)
        private mutating func add(_ device: Int64, _ one: Latest) {
            let code = codes.code(of: device)
            if code == latest.count {
                latest.append(one, &held)
            } else if latest[code].time < one.time
                || latest[code].time == one.time && latest[code].value != one.value
                    && values.codes.precedes(latest[code].value, one.value)
            {
                // At equal times the value wins that is greater by bytes.
                latest[code] = one
            }
        }

        mutating func merge(_ other: Devices) throws(StorageError) {
            let numbers = try values.merge(other.values)
            for (device, one) in zip(other.codes.rows, other.latest) {
                add(device, Latest(time: one.time, value: numbers[one.value]))
            }
        }
    }

    static func run(
        _ scope: QueryScope, by dimension: String, _ interval: Interval?, limit: Int,
        _ reading: Reading
    ) throws(StorageError) -> Versions {
        let buckets = scope.buckets(by: interval ?? .all)
        let none = ResourceValues(dimension, try ResourceTexts(reading), reading.account)
        // A value may have sessions and no device.
        var values = try SessionScan(scope, reading).collect(
            Rows(none, buckets: buckets.count, reading.account), reading
        ) { (values, session) throws(StorageError) in
            if let bucket = buckets.index(ofDay: session.day) {
                try values.add(session, in: bucket)
            }
        }
        let shared = try SharedDevices(of: scope.app.id, reading)
        let newcomers = try Newcomers(scope, filter: .everything, reading)
        // Their rows once more, in arrays that grow.
        let room = HeldBytes(reading.account, newcomers.count * 2 * MemoryLayout<Int64>.stride)
        defer { withExtendedLifetime(room) {} }
        let new = newcomers.byBucket(buckets)
        for bucket in buckets.indices {
            let days = buckets.days(of: bucket)
            let scan = try HeadScan(scope, from: days.lowerBound, to: days.upperBound, reading)
            let devices = try scan.collect(Devices(none, shared, reading.account), reading)
            try values.add(devices, new: new[bucket], in: bucket)
        }
        return try ranked(values, of: buckets, limit: limit, reading)
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
