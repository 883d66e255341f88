import Events

/// How far the clocks of those devices that posted last are from this one: of each its newest batch that says when it
/// was sent (docs/operation.md, A clock that is vouched for). Those whose batches were refused for what they say count as
/// well, or a wrong clock would hear only devices that are wrong with it; but it takes ten whose batches were stored.
struct DeviceClocks {
    private struct Entry {
        var device: DeviceHash
        /// Arrival less `sent_at`, and the clock less the time since the machine was started; milliseconds.
        var skew, offset: Int64
        var isStored: Bool
        /// Counts the batches.
        var number: UInt64
    }

    /// How many devices are kept, and how many it takes.
    static let maxCount = 50
    static let minCount = 10

    private var entries: [Entry] = []
    private var count: UInt64 = 0
    /// The arrival at which the time since the start was read last, and the offset then.
    private var read: (arrival: Int64, offset: Int64)?

    /// Milliseconds for which an offset holds.
    private static let offsetAge: UInt64 = 1_000

    /// A batch of a device is stored, or refused.
    /// - Parameter sinceBoot: milliseconds since the machine was started; asked once a second, or where the clock was
    ///   set
    mutating func note(
        _ device: DeviceHash, _ arrival: Int64, sentAt: Int64, isStored: Bool,
        sinceBoot: () -> Int64
    ) {
        if read.map({ (arrival &- $0.arrival).magnitude > Self.offsetAge }) ?? true {
            read = (arrival, arrival &- sinceBoot())
        }
        count &+= 1
        add(
            Entry(
                device: device, skew: arrival &- sentAt, offset: read?.offset ?? 0,
                isStored: isStored, number: count))
    }

    private mutating func add(_ entry: Entry) {
        var oldest = 0
        for index in entries.indices {
            if entries[index].device == entry.device {
                entries[index] = entry
                return
            }
            if entries[index].number < entries[oldest].number { oldest = index }
        }
        if entries.count < Self.maxCount { entries.append(entry) } else { entries[oldest] = entry }
    }

    /// The median of how far they are off now, in milliseconds; nil where there are too few.
    /// - Parameter offset: the clock less the time since the machine was started: where the clock was set since a batch
    ///   came, that device is so much further off
    func median(_ offset: Int64) -> Int64? {
        guard entries.count(where: { $0.isStored }) >= Self.minCount else { return nil }
        let skews = entries.map { $0.skew &+ offset &- $0.offset }.sorted()
        return skews[skews.count / 2]
    }
}
