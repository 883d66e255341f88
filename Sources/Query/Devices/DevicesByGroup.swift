import Database
import Storage

/// How many different devices each of many groups has; groups are numbered from 0. Which device
/// comes when, and how often, does not matter. A group of one device takes twelve octets, one of a few
/// has a short list (`DeviceLists`), and only one of many has a set of its own.
struct DevicesByGroup: Sendable {
    private struct Waiting {
        let set: UInt32
        let device: Int64
    }

    /// The device that came last, by group: a batch is of one device, so most come again.
    private var last: [Int64] = []
    /// By group: what holds its devices. 0: there is none but the last one; else the number of a set or
    /// of a list, which are told apart by the lowest bit.
    private var places: [UInt32] = []
    private var lists: DeviceLists
    private var sets: [DeviceSet] = []
    /// What stands in no set yet: each set is somewhere else in memory, so each is filled with many at
    /// once.
    private var waiting: [Waiting] = []
    private var held: HeldBytes

    private static let mostWaiting = 1 << 16
    /// So many groups are merged between two looks whether the report is to end.
    private static let stride = 4096
    /// No row of a device.
    private static let none = Int64.min

    /// None yet.
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
        let place = places[group]
        if place & 1 == 1 {
            wait(device, place >> 1)
        } else if place > 0 {
            addToList(device, group, place >> 1)
        } else if previous != Self.none {
            if let list = lists.make(previous, device) {
                places[group] = list << 1
            } else {
                let set = makeSet(of: group)
                for row in [previous, device] { wait(row, set) }
            }
        }
    }

    private mutating func addToList(_ device: Int64, _ group: Int, _ list: UInt32) {
        switch lists.insert(device, into: list) {
        case .isThere: break
        case .moved(let list): places[group] = list << 1
        case .isFull:
            let set = makeSet(of: group)
            for row in lists.remove(list) { wait(row, set) }
            wait(device, set)
        }
    }

    private mutating func makeSet(of group: Int) -> UInt32 {
        let set = UInt32(sets.count)
        sets.append(DeviceSet(), &held)
        places[group] = set << 1 | 1
        return set
    }

    private mutating func grow(to group: Int) {
        let more = group + 1 - last.count
        if group >= last.capacity { last.grow(more, &held) }
        if group >= places.capacity { places.grow(more, &held) }
        last += repeatElement(Self.none, count: more)
        places += repeatElement(0, count: more)
    }

    private mutating func wait(_ device: Int64, _ set: UInt32) {
        waiting.append(Waiting(set: set, device: device), &held)
        if waiting.count == Self.mostWaiting { fill() }
    }

    /// Puts what waits into the sets, one after the other. To be called before devices are counted.
    mutating func fill() {
        if waiting.isEmpty { return }
        var ends = [Int](repeating: 0, count: sets.count)
        for one in waiting { ends[Int(one.set)] += 1 }
        var sum = 0
        for set in ends.indices {
            sum += ends[set]
            ends[set] = sum - ends[set]
        }
        var devices = [Int64](repeating: 0, count: waiting.count)
        for one in waiting {
            devices[ends[Int(one.set)]] = one.device
            ends[Int(one.set)] += 1
        }
        var place = 0
        for set in sets.indices where place < ends[set] {
            let before = sets[set].allocatedBytes
            while place < ends[set] {
                sets[set].insert(devices[place])
                place += 1
            }
            held.add(sets[set].allocatedBytes - before)
        }
        waiting.removeAll(keepingCapacity: true)
    }

    /// Adds those of another. Throws if the report is to end.
    /// - Parameter groups: by the other's groups, those here; as many at least as it has
    mutating func merge(_ other: DevicesByGroup, groups: [Int]) throws(StorageError) {
        var other = other
        other.fill()
        fill()
        for (from, group) in zip(other.last.indices, groups) {
            if from % Self.stride == 0 { try held.account.check() }
            let place = other.places[from]
            if place & 1 == 1 {
                unite(other.sets[Int(place >> 1)], with: group)
            } else if place > 0 {
                for row in other.lists.rows(of: place >> 1) { insert(row, into: group) }
            } else if other.last[from] != Self.none {
                insert(other.last[from], into: group)
            }
        }
    }

    private mutating func unite(_ set: DeviceSet, with group: Int) {
        if group >= last.count { grow(to: group) }
        let place = places[group]
        var rows: [Int64] = []
        if place & 1 == 0 {
            if last[group] != Self.none { rows.append(last[group]) }
            if place > 0 { rows += lists.remove(place >> 1) }
            _ = makeSet(of: group)
        }
        let own = Int(places[group] >> 1)
        let before = sets[own].allocatedBytes
        sets[own].formUnion(set)
        for row in rows { sets[own].insert(row) }
        held.add(sets[own].allocatedBytes - before)
    }

    /// Devices of a group, after `fill`.
    func count(of group: Int) -> Int {
        guard group < places.count else { return 0 }
        let place = places[group]
        if place & 1 == 1 { return sets[Int(place >> 1)].count }
        if place > 0 { return lists.count(of: place >> 1) }
        return last[group] == Self.none ? 0 : 1
    }

    /// Devices of each of so many groups.
    mutating func counts(of groups: Int) -> [Int] {
        fill()
        return (0..<groups).map { count(of: $0) }
    }
}
