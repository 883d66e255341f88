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
        let devices = ShardedDevices(CohortShard(furthest: periods, reading.account))
        var sizes = [Int](repeating: 0, count: cohorts.count)
        var members = devices.writer(reading.account)
        try Newcomers.forEach(scope, reading) { device, day in
            let cohort = cohorts.index(ofDay: day) ?? 0
            sizes[cohort] += 1
            members.add(CohortItem(device: device, bucket: cohort, isMember: true))
        }
        members.finish()
        let starts = periodStarts(scope, by: interval, periods, cohorts)
        if let last = starts.last, sizes.contains(where: { $0 > 0 }) {
            let end = interval.next(after: last)?.adding(days: -1) ?? scope.to
            // The filters have chosen the devices; all their events count. None of the devices had an
            // event before `from`.
            let scan = try HeadScan(scope, from: scope.from, to: end, filter: .everything, reading)
            let buckets = Buckets(from: scope.from, to: end, by: interval)
            var rest = try scan.collect(
                Activity(buckets: buckets, items: devices.writer(reading.account)), reading)
            rest.items.finish()
        }
        let none = Counts(numbers: [Int](repeating: 0, count: cohorts.count * columns))
        let counts = try devices.collect(none, reading) { counts, shard in
            shard.count(into: &counts.numbers, columns)
        }.numbers
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

    /// Passes on in which periods devices were active.
    private struct Activity: DayShare {
        let buckets: Buckets
        var items: ShardedDevices<CohortShard>.Writer

        @inline(__always)
        mutating func add(day: Int, of device: Int64, _ resource: Int64) {
            guard let period = buckets.index(ofDay: day) else { return }
            items.add(CohortItem(device: device, bucket: period, isMember: false))
        }

        mutating func merge(_ other: Activity) {
            var other = other
            other.items.finish()
        }
    }

    /// By cohort and period, cohort after cohort: how many devices of the one were active in the other.
    private struct Counts: ReportShare {
        var numbers: [Int]

        mutating func merge(_ other: Counts) {
            for index in numbers.indices { numbers[index] += other.numbers[index] }
        }
    }
}

/// That a device is of a cohort, or that it was active in a period.
private struct CohortItem: DeviceKeyed {
    let device: Int64
    private let bucketIndex: Int32
    let isMember: Bool

    init(device: Int64, bucket: Int, isMember: Bool) {
        self.device = device
        bucketIndex = Int32(truncatingIfNeeded: bucket)
        self.isMember = isMember
    }

    /// Index of the cohort, or of the period as a cohort.
    var bucket: Int { Int(bucketIndex) }
}

/// The members of cohorts, and the periods, counted from its cohort's own, in which each was active: one
/// bit for each.
private struct CohortShard: DeviceShard {
    private let furthest: Int
    private var codes: RowCodes
    /// By the device's number.
    private var cohorts: [Int32] = []
    private var periods: [UInt128] = []
    private var held: HeldBytes

    init(furthest: Int, _ account: ReportAccount) {
        self.furthest = furthest
        codes = RowCodes(account)
        held = HeldBytes(account)
    }

    mutating func add(_ item: CohortItem, row: Int64) {
        if item.isMember {
            // The database has each device once.
            guard codes.code(of: row) == cohorts.count else { return }
            cohorts.append(Int32(truncatingIfNeeded: item.bucket), &held)
            periods.append(0, &held)
            return
        }
        guard let code = codes.known(row) else { return }
        let distance = item.bucket - Int(cohorts[code])
        if (0...furthest).contains(distance) { periods[code] |= 1 << UInt128(distance) }
    }

    @inline(__always)
    func entry(of row: Int64) -> Int { codes.entry(of: row) }

    @inline(__always)
    func look(at item: CohortItem, _ number: Int) -> Int64 {
        Int64(cohorts[number]) ^ Int64(truncatingIfNeeded: periods[number])
    }

    /// Adds its devices to counts.
    func count(into counts: inout [Int], _ columns: Int) {
        for (cohort, bits) in zip(cohorts, periods) {
            var rest = bits
            while rest != 0 {
                counts[Int(cohort) * columns + rest.trailingZeroBitCount] += 1
                rest &= rest - 1
            }
        }
    }
}
