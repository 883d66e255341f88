import Database
import Storage
import TimeZones

/// How many devices were active. Its state is the set of pairs of device and day: merging is union, so that
/// neither order nor repetition nor grouping can matter.
enum ActiveQuery {
    static func run(
        _ scope: QueryScope, by interval: Interval, trailing: [Int], _ reading: Reading
    ) throws(StorageError) -> [ActiveDevices] {
        let trailing = interval == .day ? trailing : []
        // A day's 30 days reach 29 days back.
        let lookback = (trailing.max() ?? 1) - 1
        let first = scope.from.adding(days: -lookback)
        let shared = try SharedDevices(of: scope.app.id, reading)
        let length = scope.to.number - first.number + 1
        let scan = try DayScan(scope, from: first, to: scope.to, reading)
        let days = try scan.collect(
            DayMatrix(days: length, reading.account), reading
        ) { days, device, _, day in
            if !shared.contains(device) { days.insert(device, day - first.number) }
        }
        let seen = try Newcomers(scope, filter: .everything, reading)
        try reading.check()
        return interval == .day
            ? byDay(scope, days, seen, lookback: lookback, trailing)
            : byBucket(scope, by: interval, days, seen)
    }

    /// Of `day`: each device's days are gone through once; what it adds to the days that end with a later one
    /// is written down as the day it begins to count and the day it ceases to.
    private static func byDay(
        _ scope: QueryScope, _ days: DayMatrix, _ seen: Newcomers, lookback: Int,
        _ trailing: [Int]
    ) -> [ActiveDevices] {
        let count = scope.to.number - scope.from.number + 1
        var active = [Int](repeating: 0, count: count)
        var new = active
        // For each of `trailing` how many more count from a day on than the day before.
        let width = lookback + count + 1
        var changes = [Int](repeating: 0, count: trailing.count * width)
        var ends = [Int](repeating: 0, count: trailing.count)
        for (place, device) in days.devices.enumerated() {
            for index in ends.indices { ends[index] = 0 }
            let first = seen.firstDay(of: device).map { $0 - scope.from.number }
            days.forEachDay(of: place) { day in
                for index in trailing.indices {
                    cover(
                        &changes, index * width..<(index + 1) * width, from: day,
                        length: trailing[index], end: &ends[index])
                }
                guard day >= lookback else { return }
                active[day - lookback] += 1
                if day - lookback == first { new[day - lookback] += 1 }
            }
        }
        var values: [ActiveDevices] = []
        var sums = [Int](repeating: 0, count: trailing.count)
        for day in 0..<(lookback + count) {
            for index in sums.indices { sums[index] += changes[index * width + day] }
            guard day >= lookback else { continue }
            var value = ActiveDevices(trailing: sums)
            value.active = active[day - lookback]
            value.new = new[day - lookback]
            values.append(value)
        }
        return values
    }

    /// A device counts from `day` on for `length` days, in the changes of `row`. `end` is how far it counts
    /// already: what overlaps is not added again.
    private static func cover(
        _ changes: inout [Int], _ row: Range<Int>, from day: Int, length: Int, end: inout Int
    ) {
        let last = row.upperBound - 1
        let start = max(day, end)
        let newEnd = day + length
        changes[min(row.lowerBound + start, last)] += 1
        changes[min(row.lowerBound + newEnd, last)] -= 1
        end = newEnd
    }

    /// Of `week` and `month`.
    private static func byBucket(
        _ scope: QueryScope, by interval: Interval, _ days: DayMatrix, _ seen: Newcomers
    ) -> [ActiveDevices] {
        let buckets = scope.buckets(by: interval)
        var values = [ActiveDevices](repeating: ActiveDevices(), count: buckets.count)
        for (place, device) in days.devices.enumerated() {
            var last: Int?
            let first = seen.firstDay(of: device).flatMap { buckets.place(ofDay: $0) }
            days.forEachDay(of: place) { day in
                guard let bucket = buckets.place(ofDay: scope.from.number + day), bucket != last
                else { return }
                last = bucket
                values[bucket].active += 1
                if bucket == first { values[bucket].new += 1 }
            }
        }
        return values
    }
}
