import Database
import Storage
import TimeZones

/// How many devices were active. The state is the set of pairs of device and day; it merges by
/// union, so neither order nor repetition nor grouping can matter.
enum ActiveQuery {
    static func run(
        _ scope: QueryScope, by interval: Interval, trailing: [Int], _ reading: Reading
    ) throws(StorageError) -> [ActiveDevices] {
        let trailing = interval == .day ? trailing : []
        // The 30 days up to a day begin 29 days before it.
        let lookback = (trailing.max() ?? 1) - 1
        let first = scope.from.adding(days: -lookback)
        reading.readAhead(all: "device_first")
        let length = scope.to.number - first.number + 1
        let devices = ShardedDevices(ActiveShard(days: length, reading.account))
        let scan = try HeadScan(scope, from: first, to: scope.to, reading)
        let none = ActiveDays(
            shared: try SharedDevices(of: scope.app.id, reading), first: first.number,
            items: devices.writer(reading.account))
        var rest = try scan.collect(none, reading)
        rest.items.finish()
        var newcomers = devices.writer(reading.account)
        try Newcomers.forEach(scope, filter: .everything, reading) { device, day in
            newcomers.add(ActiveItem(device: device, day: day - first.number, isFirst: true))
        }
        newcomers.finish()
        let counting =
            interval == .day
            ? ActiveCounts(trailing, lookback: lookback, length: length)
            : ActiveCounts(scope.buckets(by: interval))
        return try devices.collect(counting, reading) { counts, shard in
            counts.add(shard)
        }.values
    }
}

/// A day on which a device was active, counted from the first of the question.
private struct ActiveItem: DeviceKeyed {
    let device: Int64
    private let dayNumber: Int32
    /// Whether it is the day on which the device was first seen, instead.
    let isFirst: Bool

    init(device: Int64, day: Int, isFirst: Bool) {
        self.device = device
        dayNumber = Int32(truncatingIfNeeded: day)
        self.isFirst = isFirst
    }

    var day: Int { Int(dayNumber) }
}

/// The days on which some devices were active, and the first of each, as far as it is known.
private struct ActiveShard: DeviceShard {
    private(set) var days: DayMatrix
    /// By index in `days`; −1 where a device was not first seen in the range.
    private(set) var firsts: [Int32] = []
    private var held: HeldBytes

    init(days: Int, _ account: ReportAccount) {
        self.days = DayMatrix(days: days, account)
        held = HeldBytes(account)
    }

    mutating func add(_ item: ActiveItem, row: Int64) {
        if !item.isFirst { return days.insert(row, item.day) }
        // All days came before.
        guard let index = days.index(of: row) else { return }
        firsts.append(repeating: -1, days.count - firsts.count, &held)
        firsts[index] = Int32(truncatingIfNeeded: item.day)
    }

    @inline(__always)
    func entry(of row: Int64) -> Int { days.entry(of: row) }

    @inline(__always)
    func look(at item: ActiveItem, _ number: Int) -> Int64 {
        item.isFirst ? 0 : days.look(number, item.day)
    }
}

/// Passes on the days of devices that are not shared.
private struct ActiveDays: DayShare {
    let shared: SharedDevices
    let first: Int
    var items: ShardedDevices<ActiveShard>.Writer

    @inline(__always)
    mutating func add(day: Int, of device: Int64, _ resource: Int64) {
        if shared.contains(device) { return }
        items.add(ActiveItem(device: device, day: day - first, isFirst: false))
    }

    mutating func merge(_ other: ActiveDays) {
        var other = other
        other.items.finish()
    }
}

/// Counts the devices of shards.
private struct ActiveCounts: ReportShare {
    /// Nil where there is a value for each day.
    private let buckets: Buckets?
    private let trailing: [Int]
    /// How many days there are before the first that is counted.
    private let lookback: Int
    private var active: [Int]
    private var new: [Int]
    /// Of each trailing stretch, by day from the first of all: by how many more devices were active in
    /// the stretch up to that day than in the one up to the day before.
    private var changes: [[Int]]

    /// One value for each day.
    init(_ trailing: [Int], lookback: Int, length: Int) {
        buckets = nil
        self.trailing = trailing
        self.lookback = lookback
        active = [Int](repeating: 0, count: length - lookback)
        new = active
        changes = trailing.map { _ in [Int](repeating: 0, count: length + 1) }
    }

    /// One value for each bucket.
    init(_ buckets: Buckets) {
        self.buckets = buckets
        trailing = []
        lookback = 0
        active = [Int](repeating: 0, count: buckets.count)
        new = active
        changes = []
    }

    mutating func add(_ shard: ActiveShard) {
        for index in 0..<shard.days.count {
            let first = index < shard.firsts.count ? Int(shard.firsts[index]) : -1
            if let buckets {
                addBuckets(buckets, index, first, shard)
            } else {
                addDays(index, first, shard)
                for number in trailing.indices { addTrailing(number, index, shard) }
            }
        }
    }

    @inline(__always)
    private mutating func addDays(_ index: Int, _ first: Int, _ shard: ActiveShard) {
        shard.days.forEachDay(of: index) { day in
            guard day >= lookback else { return }
            active[day - lookback] += 1
            if day == first { new[day - lookback] += 1 }
        }
    }

    /// A device counts in stretches of days: each adds one where it begins, and subtracts one where
    /// it ends.
    @inline(__always)
    private mutating func addTrailing(_ number: Int, _ index: Int, _ shard: ActiveShard) {
        let length = trailing[number]
        var end = -1
        shard.days.forEachDay(of: index) { day in
            if day > end {
                if end >= 0 { changes[number][end] -= 1 }
                changes[number][day] += 1
            }
            end = day + length
        }
        if end >= 0 { changes[number][min(end, changes[number].count - 1)] -= 1 }
    }

    @inline(__always)
    private mutating func addBuckets(
        _ buckets: Buckets, _ index: Int, _ first: Int, _ shard: ActiveShard
    ) {
        var last: Int?
        let start = buckets.from.number
        let ofFirst = first < 0 ? nil : buckets.index(ofDay: start + first)
        shard.days.forEachDay(of: index) { day in
            guard let bucket = buckets.index(ofDay: start + day), bucket != last else { return }
            last = bucket
            active[bucket] += 1
            if bucket == ofFirst { new[bucket] += 1 }
        }
    }

    mutating func merge(_ other: ActiveCounts) {
        for index in active.indices {
            active[index] += other.active[index]
            new[index] += other.new[index]
        }
        for number in changes.indices {
            for day in changes[number].indices {
                changes[number][day] += other.changes[number][day]
            }
        }
    }

    /// By day or bucket.
    var values: [ActiveDevices] {
        let trailing = changes.map { changes in
            var active = 0
            return changes.map { change in
                active += change
                return active
            }
        }
        return active.indices.map { index in
            var value = ActiveDevices(trailing: trailing.map { $0[lookback + index] })
            (value.active, value.new) = (active[index], new[index])
            return value
        }
    }
}
