import Database
import Storage
import TimeZones

/// Which devices come back. The state is, for each device of a cohort, a set of periods; it merges
/// by union, so neither order nor repetition nor grouping can matter.
enum RetentionQuery {
    static func run(
        _ scope: QueryScope, by interval: Interval, periods: Int, _ reading: Reading
    ) throws(StorageError) -> [Cohort] {
        let cohorts = scope.buckets(by: interval)
        let columns = periods + 1
        let devices = try Newcomers(scope, reading)
        var sizes = [Int](repeating: 0, count: cohorts.count)
        let cohortOfDevice = devices.firstDays.map { cohorts.index(ofDay: $0) ?? 0 }
        for cohort in cohortOfDevice { sizes[cohort] += 1 }
        let starts = periodStarts(scope, by: interval, periods, cohorts)
        // Bit k of a device is set if it was active in the k-th period after its cohort's own.
        let active = try activity(
            scope, by: interval, periods, devices, cohortOfDevice, starts, reading)
        var counts = [Int](repeating: 0, count: cohorts.count * columns)
        for (cohort, bits) in zip(cohortOfDevice, active) {
            var rest = bits
            while rest != 0 {
                counts[cohort * columns + rest.trailingZeroBitCount] += 1
                rest &= rest - 1
            }
        }
        try reading.check()
        return sizes.enumerated().map { cohort, size in
            Cohort(
                size: size,
                active: (0..<columns).map { period in
                    cohort + period < starts.count ? counts[cohort * columns + period] : nil
                })
        }
    }

    /// The first days of all periods that a column shows, except those that begin after today.
    private static func periodStarts(
        _ scope: QueryScope, by interval: Interval, _ periods: Int, _ cohorts: Buckets
    ) -> [CivilDate] {
        var starts: [CivilDate] = []
        var next = cohorts.starts.first
        while let start = next, start <= scope.today, starts.count < cohorts.count + periods {
            starts.append(start)
            next = interval.next(after: start)
        }
        return starts
    }

    /// The periods, counted from its cohort's own, in which each device was active: one bit for
    /// each, by device.
    private struct Activity: DayShare {
        let devices: Newcomers
        let cohorts: [Int]
        let buckets: Buckets
        let furthest: Int
        var periods: [UInt128]

        @inline(__always)
        mutating func add(day: Int, of device: Int64, _ resource: Int64) {
            guard let code = devices.codes.known(device), let period = buckets.index(ofDay: day)
            else { return }
            let distance = period - cohorts[code]
            if (0...furthest).contains(distance) { periods[code] |= 1 << UInt128(distance) }
        }

        mutating func merge(_ other: Activity) {
            for device in periods.indices { periods[device] |= other.periods[device] }
        }
    }

    /// The filters have chosen the devices; all their events count.
    private static func activity(
        _ scope: QueryScope, by interval: Interval, _ furthest: Int, _ devices: Newcomers,
        _ cohortOfDevice: [Int], _ starts: [CivilDate], _ reading: Reading
    ) throws(StorageError) -> [UInt128] {
        let none = [UInt128](repeating: 0, count: devices.count)
        guard let last = starts.last, devices.count > 0 else { return none }
        let end = interval.next(after: last)?.adding(days: -1) ?? scope.to
        // None of the devices had an event before `from`.
        let periods = Buckets(from: scope.from, to: end, by: interval)
        let scan = try HeadScan(scope, from: scope.from, to: end, filter: .everything, reading)
        // Each thread has its own copy.
        let room = HeldBytes(reading.account, none.allocatedBytes * (reading.threads + 1))
        defer { withExtendedLifetime(room) {} }
        let activity = Activity(
            devices: devices, cohorts: cohortOfDevice, buckets: periods, furthest: furthest,
            periods: none)
        return try scan.collect(activity, reading).periods
    }
}
