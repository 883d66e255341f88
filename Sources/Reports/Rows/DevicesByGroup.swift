/// How many different devices each of many groups has; groups are numbered from 0. Which device
/// comes when, and how often, does not matter.
struct DevicesByGroup: Sendable {
    private var pairs = DistinctNumbers()
    /// The device that came last, by group: a batch is of one device, so most come again.
    private var last: [Int64] = []

    /// Adds a device, by its row, to a group.
    mutating func insert(_ device: Int64, into group: Int) {
        if group >= last.count {
            last += repeatElement(-1, count: max(group + 1 - last.count, last.count))
        }
        if last[group] == device { return }
        last[group] = device
        pairs.insert(
            UInt64(truncatingIfNeeded: group) << 32
                | UInt64(truncatingIfNeeded: device) & 0xffff_ffff)
    }

    /// Devices of each of so many groups.
    mutating func counts(of groups: Int) -> [Int] {
        var counts = [Int](repeating: 0, count: groups)
        for pair in pairs.sorted() { counts[Int(pair >> 32)] += 1 }
        return counts
    }
}
