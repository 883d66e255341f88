import Database
import Storage
import TimeZones

/// How many devices were active. The state is the set of pairs of device and day; it merges by
/// union, so neither order nor repetition nor grouping can matter.
enum ActiveQuery {
    /// The days of devices that are not shared, counted from `first`.
    private struct ActiveDays: DayShare {
        var matrix: DayMatrix
        let shared: SharedDevices
        let first: Int

        @inline(__always)
        mutating func add(day: Int, of device: Int64, _ resource: Int64) {
            if !shared.contains(device) { matrix.insert(device, day - first) }
        }

        mutating func merge(_ other: ActiveDays) { matrix.merge(other.matrix) }
    }

    static func run(
        _ scope: QueryScope, by interval: Interval, trailing: [Int], _ reading: Reading
    ) throws(StorageError) -> [ActiveDevices] {
        let trailing = interval == .day ? trailing : []
        // The 30 days up to a day begin 29 days before it.
        let lookback = (trailing.max() ?? 1) - 1
        let first = scope.from.adding(days: -lookback)
        try reading.readDevicesAhead(of: scope.app.id)
        let shared = try SharedDevices(of: scope.app.id, reading)
        let length = scope.to.number - first.number + 1
        let scan = try HeadScan(scope, from: first, to: scope.to, reading)
        let none = ActiveDays(
            matrix: DayMatrix(days: length, reading.account), shared: shared, first: first.number)
        let days = try scan.collect(none, reading).matrix
        let seen = try Newcomers(scope, filter: .everything, reading)
        try reading.check()
        return interval == .day
            ? byDay(scope, days, seen, lookback: lookback, trailing)
            : byBucket(scope, by: interval, days, seen)
    }

    /// One value for each day.
    private static func byDay(
        _ scope: QueryScope, _ days: DayMatrix, _ seen: Newcomers, lookback: Int,
        _ trailing: [Int]
    ) -> [ActiveDevices] {
        let count = scope.to.number - scope.from.number + 1
        var active = [Int](repeating: 0, count: count)
        var new = active
        for (index, device) in days.devices.enumerated() {
            let first = seen.firstDay(of: device).map { $0 - scope.from.number }
            days.forEachDay(of: index) { day in
                guard day >= lookback else { return }
                active[day - lookback] += 1
                if day - lookback == first { new[day - lookback] += 1 }
            }
        }
        let trailing = trailing.map { activeInTrailing($0, days, count: lookback + count) }
        return (0..<count).map { day in
            var value = ActiveDevices(trailing: trailing.map { $0[lookback + day] })
            value.active = active[day]
            value.new = new[day]
            return value
        }
    }

    /// By day: how many devices were active on it or on one of the `length` − 1 days before it. A
    /// device counts in stretches of days: each adds one where it begins, and subtracts one where
    /// it ends.
    private static func activeInTrailing(
        _ length: Int, _ days: DayMatrix, count: Int
    ) -> [Int] {
        var changes = [Int](repeating: 0, count: count + 1)
        for index in days.devices.indices {
            var end = -1
            days.forEachDay(of: index) { day in
                if day > end {
                    if end >= 0 { changes[end] -= 1 }
                    changes[day] += 1
                }
                end = day + length
            }
            if end >= 0 { changes[min(end, count)] -= 1 }
        }
        var active = 0
        return changes.map { change in
            active += change
            return active
        }
    }

    /// One value for each week, month or range.
    private static func byBucket(
        _ scope: QueryScope, by interval: Interval, _ days: DayMatrix, _ seen: Newcomers
    ) -> [ActiveDevices] {
        let buckets = scope.buckets(by: interval)
        var values = [ActiveDevices](repeating: ActiveDevices(), count: buckets.count)
        for (index, device) in days.devices.enumerated() {
            var last: Int?
            let first = seen.firstDay(of: device).flatMap { buckets.index(ofDay: $0) }
            days.forEachDay(of: index) { day in
                guard let bucket = buckets.index(ofDay: scope.from.number + day), bucket != last
                else { return }
                last = bucket
                values[bucket].active += 1
                if bucket == first { values[bucket].new += 1 }
            }
        }
        return values
    }
}
