import Database
import Storage
import TimeZones

/// Who comes back. Its state is, for each device of a cohort, a set of periods: merging is union, so that neither
/// order nor repetition nor grouping can matter.
enum RetentionQuery {
    static func run(
        _ scope: QueryScope, by interval: Interval, periods: Int, _ reading: Reading
    ) throws(StorageError) -> [Cohort] {
        let cohorts = scope.buckets(by: interval)
        let columns = periods + 1
        let devices = try Newcomers(scope, reading)
        var sizes = [Int](repeating: 0, count: cohorts.count)
        let places = devices.firstDays.map { cohorts.place(ofDay: $0) ?? 0 }
        for place in places { sizes[place] += 1 }
        let starts = periodStarts(scope, by: interval, periods, cohorts)
        // Bit k of a device: it was active in the k-th period after its cohort's.
        let active = try activity(
            scope, by: interval, periods, devices, places, starts, reading)
        var counts = [Int](repeating: 0, count: cohorts.count * columns)
        for (place, bits) in zip(places, active) {
            var rest = bits
            while rest != 0 {
                counts[place * columns + rest.trailingZeroBitCount] += 1
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

    /// The first days of all periods that a column is about, but for those that begin after today.
    private static func periodStarts(
        _ scope: QueryScope, by interval: Interval, _ periods: Int, _ cohorts: Buckets
    ) -> [CivilDate] {
        var starts: [CivilDate] = []
        var start = interval.start(of: scope.from)
        while start <= scope.today, starts.count < cohorts.count + periods {
            starts.append(start)
            start = interval.next(after: start)
        }
        return starts
    }

    /// A bit a period, by device.
    private struct Activity: ReportShare {
        var periods: [UInt128]

        mutating func merge(_ other: Activity) {
            for place in periods.indices { periods[place] |= other.periods[place] }
        }
    }

    /// In which periods, counted from its cohort's, each device was active. Filters choose devices,
    /// not events.
    private static func activity(
        _ scope: QueryScope, by interval: Interval, _ furthest: Int, _ devices: Newcomers,
        _ places: [Int], _ starts: [CivilDate], _ reading: Reading
    ) throws(StorageError) -> [UInt128] {
        let none = Activity(periods: [UInt128](repeating: 0, count: devices.count))
        guard let last = starts.last, devices.count > 0 else { return none.periods }
        let end = interval.next(after: last).adding(days: -1)
        // Before `from` none of them had an event.
        let periods = Buckets(from: scope.from, to: end, by: interval)
        let scan = try DayScan(scope, from: scope.from, to: end, filter: .everything, reading)
        // Once more for each thread.
        let room = HeldOctets(reading.account, none.periods.octets * (reading.threads + 1))
        defer { withExtendedLifetime(room) {} }
        return try scan.collect(none, reading) { active, device, _, day in
            guard let code = devices.codes.known(device), let period = periods.place(ofDay: day)
            else { return }
            let distance = period - places[code]
            if (0...furthest).contains(distance) {
                active.periods[code] |= 1 << UInt128(distance)
            }
        }.periods
    }
}
