/// How many different devices each of many groups has; groups are numbered from 0. Which device
/// comes when, and how often, does not matter.
struct DevicesByGroup: Sendable {
    private struct Waiting {
        let group: Int
        let device: Int64
    }

    private var sets: [DeviceSet] = []
    /// The device that came last, by group: a batch is of one device, so most come again.
    private var last: [Int64] = []
    /// What stands in no set yet: each set is somewhere else in memory, so each is filled with many at
    /// once.
    private var waiting: [Waiting] = []

    private static let mostWaiting = 1 << 16

    /// Adds a device, by its row, to a group.
    @inline(__always)
    mutating func insert(_ device: Int64, into group: Int) {
        if group >= last.count { grow(to: group) }
        if last[group] == device { return }
        last[group] = device
        waiting.append(Waiting(group: group, device: device))
        if waiting.count == Self.mostWaiting { fill() }
    }

    private mutating func grow(to group: Int) {
        let more = max(group + 1 - last.count, last.count)
        last += repeatElement(-1, count: more)
        sets += repeatElement(DeviceSet(), count: more)
    }

    /// Puts what waits into the sets, one group after the other.
    private mutating func fill() {
        var ends = [Int](repeating: 0, count: sets.count)
        for one in waiting { ends[one.group] += 1 }
        var sum = 0
        for group in ends.indices {
            sum += ends[group]
            ends[group] = sum - ends[group]
        }
        var devices = [Int64](repeating: 0, count: waiting.count)
        for one in waiting {
            devices[ends[one.group]] = one.device
            ends[one.group] += 1
        }
        var place = 0
        for group in sets.indices {
            while place < ends[group] {
                sets[group].insert(devices[place])
                place += 1
            }
        }
        waiting.removeAll(keepingCapacity: true)
    }

    /// Adds those of another.
    /// - Parameter groups: by the other's groups, those here; as many at least as it has
    mutating func merge(_ other: DevicesByGroup, groups: [Int]) {
        var other = other
        other.fill()
        for (set, group) in zip(other.sets, groups) {
            if group >= last.count { grow(to: group) }
            sets[group].formUnion(set)
        }
    }

    /// Devices of each of so many groups.
    mutating func counts(of groups: Int) -> [Int] {
        fill()
        return (0..<groups).map { $0 < sets.count ? sets[$0].count : 0 }
    }
}
