import Database
import Storage
import TimeZones

/// How long devices stay. The state is the last active day of each device; two merge to the later
/// one.
enum LifetimeQuery {
    static func run(
        _ scope: QueryScope, inactive: Int, _ reading: Reading
    ) throws(StorageError) -> [Lifetime] {
        let devices = ShardedDevices(LifeShard(reading.account))
        var newcomers = devices.writer(reading.account)
        try Newcomers.forEach(scope, reading) { device, day in
            newcomers.add(LifeItem(device: device, day: day, isFirst: true))
        }
        newcomers.finish()
        let scan = try HeadScan(
            scope, from: scope.from, to: scope.to, filter: .everything, reading)
        var rest = try scan.collect(Days(items: devices.writer(reading.account)), reading)
        rest.items.finish()
        let last = scope.to.number
        return try devices.collect(Lives(), reading) { lives, shard in
            shard.forEach { first, end in
                lives.add(length: end - first + 1, isLost: last - end >= inactive)
            }
        }.all
    }

    /// Passes on on which days devices were active.
    private struct Days: DayShare {
        var items: ShardedDevices<LifeShard>.Writer

        @inline(__always)
        mutating func add(day: Int, of device: Int64, _ resource: Int64) {
            items.add(LifeItem(device: device, day: day, isFirst: false))
        }

        mutating func merge(_ other: Days) {
            var other = other
            other.items.finish()
        }
    }

    private struct Lives: ReportShare {
        /// By length, from 1.
        private(set) var all: [Lifetime] = []

        mutating func add(length: Int, isLost: Bool) {
            while all.count < length { all.append(Lifetime()) }
            all[length - 1].ended += 1
            if isLost { all[length - 1].lost += 1 }
        }

        mutating func merge(_ other: Lives) {
            while all.count < other.all.count { all.append(Lifetime()) }
            for (index, one) in other.all.enumerated() {
                all[index].ended += one.ended
                all[index].lost += one.lost
            }
        }
    }
}

/// A local day on which a device was active.
private struct LifeItem: DeviceKeyed {
    let device: Int64
    let day: Int32
    /// Whether it is the day on which the device was first seen.
    let isFirst: Bool

    init(device: Int64, day: Int, isFirst: Bool) {
        self.device = device
        self.day = Int32(truncatingIfNeeded: day)
        self.isFirst = isFirst
    }
}

/// The first and the last day of some devices: of those whose first day came before all others.
private struct LifeShard: DeviceShard {
    private var codes: RowCodes
    /// By the device's number.
    private var firsts: [Int32] = []
    private var lasts: [Int32] = []
    private var held: HeldBytes

    init(_ account: ReportAccount) {
        codes = RowCodes(account)
        held = HeldBytes(account)
    }

    mutating func add(_ item: LifeItem, row: Int64) {
        if item.isFirst {
            guard codes.code(of: row) == firsts.count else { return }
            firsts.append(item.day, &held)
            lasts.append(item.day, &held)
        } else if let code = codes.known(row) {
            lasts[code] = max(lasts[code], item.day)
        }
    }

    @inline(__always)
    func entry(of row: Int64) -> Int { codes.entry(of: row) }

    @inline(__always)
    func look(at item: LifeItem, _ number: Int) -> Int64 { Int64(lasts[number]) }

    func forEach(_ body: (_ first: Int, _ last: Int) -> Void) {
        for (first, last) in zip(firsts, lasts) { body(Int(first), Int(last)) }
    }
}
