/// How many different devices each of many groups has; groups are numbered from 0. Which device
/// comes when, and how often, does not matter.
struct DevicesByGroup: Sendable {
    private var sets: [DeviceSet] = []
    /// The device that came last, by group: a batch is of one device, so most come again.
    private var last: [Int64] = []

    /// Adds a device, by its row, to a group.
    @inline(__always)
    mutating func insert(_ device: Int64, into group: Int) {
        if group >= last.count { grow(to: group) }
        if last[group] == device { return }
        last[group] = device
        sets[group].insert(device)
    }

    private mutating func grow(to group: Int) {
        let more = max(group + 1 - last.count, last.count)
        last += repeatElement(-1, count: more)
        sets += repeatElement(DeviceSet(), count: more)
    }

    /// Devices of each of so many groups.
    func counts(of groups: Int) -> [Int] {
        (0..<groups).map { $0 < sets.count ? sets[$0].count : 0 }
    }
}
