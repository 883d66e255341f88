import Database
import Storage
import Synchronization
import TimeZones

/// Sums of names over a whole range. Of each device it holds which of the first names it met the device
/// has, one bit for each: so a part costs one look at its device, however many names it has.
extension EventsQuery {
    /// Sums of each name.
    static func totals(
        _ scope: QueryScope, limit: Int, _ reading: Reading
    ) throws(StorageError) -> [NamedSum] {
        let shared = try SharedDevices(of: scope.app.id, reading)
        let list = try EventList(scope, times: false, reading)
        let devices = ShardedDevices(NamesShard(reading.account))
        let numbers = NameNumbers(reading.account)
        var sums = try reading.inParallel { () throws(StorageError) in
            var sums = NameTotals(numbers, devices.writer(reading.account), reading.account)
            var scan = NameScan(list, nil)
            while try scan.next() {
                sums.begin(shared.contains(scan.device) ? nil : scan.device)
                scan.forEach { name, _, count in sums.add(name, count) }
                sums.end()
            }
            return sums
        }
        sums.finish()
        let bits = [Int](repeating: 0, count: NameTotals.bits)
        let counts = try devices.collect(DeviceCounts(numbers: bits), reading) { counts, shard in
            shard.count(into: &counts.numbers)
        }.numbers
        return try ranked(&sums, counts, numbers.rows, limit, reading)
    }

    private static func ranked(
        _ sums: inout NameTotals, _ devices: [Int], _ rows: [Int64], _ limit: Int,
        _ reading: Reading
    ) throws(StorageError) -> [NamedSum] {
        let names = try EventNames.texts(of: rows, reading)
        try reading.check()
        let events = sums.events
        var ranking = Ranking(limit)
        try ranking.add(events.indices, reading) { a, b in
            let (total, other) = (
                NamedSums.saturated(events[a], 0), NamedSums.saturated(events[b], 0)
            )
            return total != other ? total > other : names[a] < names[b]
        }
        let room = HeldBytes(reading.account, ranking.ranked.count * NamedSums.rowBytes)
        defer { withExtendedLifetime(room) {} }
        try reading.check()
        return ranking.ranked.map { name in
            NamedSum(
                bucket: 0, name: names[name], total: NamedSums.saturated(events[name], 0),
                events: Int(events[name]),
                devices: name < NameTotals.bits ? devices[name] : sums.devices(of: name))
        }
    }

    private struct DeviceCounts: ReportShare {
        var numbers: [Int]

        mutating func merge(_ other: DeviceCounts) {
            for index in numbers.indices { numbers[index] += other.numbers[index] }
        }
    }
}

/// Numbers of names, from 0, that all threads of a report share.
private final class NameNumbers: Sendable {
    private let codes: Mutex<RowCodes>

    init(_ account: ReportAccount) { codes = Mutex(RowCodes(account)) }

    func number(of row: Int64) -> Int { codes.withLock { $0.code(of: row) } }

    /// The row of each number.
    var rows: [Int64] { codes.withLock { $0.rows } }
}

/// What a thread counts.
private struct NameTotals: ReportShare {
    /// How many names have a bit.
    static let bits = 64

    /// By number.
    private(set) var events: [Int64] = []
    private let numbers: NameNumbers
    private var codes: RowCodes
    /// The number of each code.
    private var ofCode: [Int] = []
    private var items: ShardedDevices<NamesShard>.Writer
    /// Devices of the other names.
    private var others: DevicesByGroup
    private var device: Int64?
    /// Names of the current part.
    private var mask: UInt64 = 0
    private var held: HeldBytes

    init(
        _ numbers: NameNumbers, _ items: ShardedDevices<NamesShard>.Writer,
        _ account: ReportAccount
    ) {
        self.numbers = numbers
        self.items = items
        codes = RowCodes(account)
        others = DevicesByGroup(account)
        held = HeldBytes(account)
    }

    /// Begins a part; nil for a shared device.
    @inline(__always)
    mutating func begin(_ device: Int64?) {
        self.device = device
        mask = 0
    }

    /// Adds events of the part.
    @inline(__always)
    mutating func add(_ name: Int64, _ count: Int) {
        let code = codes.code(of: name)
        if code == ofCode.count { number(name) }
        let number = ofCode[code]
        events[number] += Int64(count)
        if number < Self.bits {
            mask |= 1 << UInt64(number)
        } else if let device {
            others.insert(device, into: number - Self.bits)
        }
    }

    @inline(never)
    private mutating func number(_ name: Int64) {
        let number = numbers.number(of: name)
        ofCode.append(number, &held)
        events.append(repeating: 0, number + 1 - events.count, &held)
    }

    /// Ends the part.
    @inline(__always)
    mutating func end() {
        if let device, mask != 0 { items.add(NamesShard.Item(device: device, names: mask)) }
    }

    /// After the last part.
    mutating func finish() {
        items.finish()
        others.fill()
    }

    mutating func merge(_ other: NameTotals) throws(StorageError) {
        var other = other
        other.items.finish()
        events.append(repeating: 0, other.events.count - events.count, &held)
        for number in other.events.indices { events[number] += other.events[number] }
        try others.merge(
            other.others, groups: Array(0..<max(0, other.events.count - Self.bits)))
    }

    /// How many devices have a name that has no bit, after `finish`.
    func devices(of number: Int) -> Int { others.count(of: number - Self.bits) }
}

/// Which names the events of each device have.
private struct NamesShard: DeviceShard {
    struct Item: DeviceKeyed {
        let device: Int64
        /// A bit for each.
        let names: UInt64
    }

    private var devices: RowValues<UInt64>

    init(_ account: ReportAccount) { devices = RowValues(account) }

    mutating func add(_ item: Item, row: Int64) {
        devices[devices.number(of: row, new: 0)] |= item.names
    }

    @inline(__always)
    func entry(of row: Int64) -> Int { devices.entry(of: row) }

    @inline(__always)
    func look(at item: Item, _ number: Int) -> Int64 { Int64(bitPattern: devices[number]) }

    /// Adds how many devices have each name.
    func count(into counts: inout [Int]) {
        for names in devices.all {
            var rest = names
            while rest != 0 {
                counts[rest.trailingZeroBitCount] += 1
                rest &= rest - 1
            }
        }
    }
}
