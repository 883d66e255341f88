import Database
import Storage

/// How many different devices each of many groups has; groups are numbered from 0. The order in
/// which devices are added, and how often, does not matter. A group of one device takes twelve
/// bytes, a group of up to 15 has a short list (`DeviceLists`), and only a larger one has a set of
/// its own.
struct DevicesByGroup: Sendable {
    private struct Pending {
        let set: UInt32
        let device: Int64
    }

    /// The device added last, by group: a batch is of one device, so mostly the same one follows.
    private var last: [Int64] = []
    /// By group: what holds its devices. 0: it has none but the last one; else the number of a set,
    /// with the lowest bit set, or of a list, without.
    private var holders: [UInt32] = []
    private var lists: DeviceLists
    private var sets: [DeviceSet] = []
    /// Devices that are in no set yet: sets lie far apart in memory, so each gets many devices at
    /// once.
    private var pending: [Pending] = []
    private var held: HeldBytes

    private static let maxPending = 1 << 16
    /// How many groups are merged between two checks whether the report has to end.
    private static let stride = 4096
    /// Stands for no device: no row has this id.
    private static let none = Int64.min

    /// Without groups.
    /// - Parameter account: of the report
    init(_ account: ReportAccount = .unbounded) {
        held = HeldBytes(account)
        lists = DeviceLists(account)
    }

    /// Adds a device, by its row, to a group.
    @inline(__always)
    mutating func insert(_ device: Int64, into group: Int) {
        if group < last.count, last[group] == device { return }
        add(device, to: group)
    }

    private mutating func add(_ device: Int64, to group: Int) {
        if group >= last.count { grow(to: group) }
        let previous = last[group]
        last[group] = device
        let holder = holders[group]
        if holder & 1 == 1 {
            enqueue(device, holder >> 1)
        } else if holder > 0 {
            addToList(device, group, holder >> 1)
        } else if previous != Self.none {
            if let list = lists.make(previous, device) {
                holders[group] = list << 1
            } else {
                let set = makeSet(of: group)
                for row in [previous, device] { enqueue(row, set) }
            }
        }
    }

    private mutating func addToList(_ device: Int64, _ group: Int, _ list: UInt32) {
        switch lists.insert(device, into: list) {
        case .isThere: break
        case .moved(let list): holders[group] = list << 1
        case .isFull:
            let set = makeSet(of: group)
            for row in lists.remove(list) { enqueue(row, set) }
            enqueue(device, set)
        }
    }

    private mutating func makeSet(of group: Int) -> UInt32 {
        let set = UInt32(sets.count)
        sets.append(DeviceSet(), &held)
        holders[group] = set << 1 | 1
        return set
    }

    private mutating func grow(to group: Int) {
        let more = group + 1 - last.count
        last.append(repeating: Self.none, more, &held)
        holders.append(repeating: 0, more, &held)
    }

    private mutating func enqueue(_ device: Int64, _ set: UInt32) {
        pending.append(Pending(set: set, device: device), &held)
        if pending.count == Self.maxPending { fill() }
    }

    /// Moves the pending devices into the sets, one set after the other. Call it before `count`.
    mutating func fill() {
        if pending.isEmpty { return }
        var ends = [Int](repeating: 0, count: sets.count)
        for one in pending { ends[Int(one.set)] += 1 }
        var sum = 0
        for set in ends.indices {
            sum += ends[set]
            ends[set] = sum - ends[set]
        }
        var devices = [Int64](repeating: 0, count: pending.count)
        for one in pending {
            devices[ends[Int(one.set)]] = one.device
            ends[Int(one.set)] += 1
        }
        var index = 0
        for set in sets.indices where index < ends[set] {
            let before = sets[set].allocatedBytes
            while index < ends[set] {
                sets[set].insert(devices[index])
                index += 1
            }
            held.add(sets[set].allocatedBytes - before)
        }
        pending.removeAll(keepingCapacity: true)
    }

    /// Adds the devices of another. Throws if the report has to end.
    /// - Parameter groups: the groups here, by the other's groups; at least as many as it has
    mutating func merge(_ other: DevicesByGroup, groups: [Int]) throws(StorageError) {
        var other = other
        other.fill()
        fill()
        for (from, group) in zip(other.last.indices, groups) {
            if from % Self.stride == 0 { try held.account.check() }
            let holder = other.holders[from]
            if holder & 1 == 1 {
                unite(other.sets[Int(holder >> 1)], with: group)
            } else if holder > 0 {
                for row in other.lists.rows(of: holder >> 1) { insert(row, into: group) }
            } else if other.last[from] != Self.none {
                insert(other.last[from], into: group)
            }
        }
    }

    private mutating func unite(_ set: DeviceSet, with group: Int) {
        if group >= last.count { grow(to: group) }
        let holder = holders[group]
        var rows: [Int64] = []
        if holder & 1 == 0 {
            if last[group] != Self.none { rows.append(last[group]) }
            if holder > 0 { rows += lists.remove(holder >> 1) }
            _ = makeSet(of: group)
        }
        let own = Int(holders[group] >> 1)
        let before = sets[own].allocatedBytes
        sets[own].formUnion(set)
        for row in rows { sets[own].insert(row) }
        held.add(sets[own].allocatedBytes - before)
    }

    /// How many devices a group has, after `fill`.
    func count(of group: Int) -> Int {
        guard group < holders.count else { return 0 }
        let holder = holders[group]
        if holder & 1 == 1 { return sets[Int(holder >> 1)].count }
        if holder > 0 { return lists.count(of: holder >> 1) }
        return last[group] == Self.none ? 0 : 1
    }

    /// How many devices each of the first groups has.
    /// - Parameter groups: how many groups are asked for
    mutating func counts(of groups: Int) -> [Int] {
        fill()
        return (0..<groups).map { count(of: $0) }
    }
}
