import FuzzSupport

/// The choices of an encoder where more than one way says the same; with seed 0 always the plain
/// one.
struct Quirks {
    private var random: SplitMix
    private let isPlain: Bool

    init(seed: Int) {
        random = SplitMix(seed: UInt64(truncatingIfNeeded: seed))
        isPlain = seed == 0
    }

    /// Below `count`; 0 is the plain way.
    mutating func pick(_ count: Int) -> Int {
        isPlain ? 0 : Int(random.next() % UInt64(count))
    }

    /// Something that is done once in so many times.
    mutating func happens(_ times: Int) -> Bool { pick(times) == 1 }

    /// In another order, but for those of the same key among themselves.
    mutating func mixed<T, Key: Hashable>(_ items: [T], by key: (T) -> Key) -> [T] {
        guard items.count > 1, !isPlain else { return items }
        var order = Array(items.indices)
        for index in order.indices.dropFirst().reversed() {
            order.swapAt(index, pick(index + 1))
        }
        var queues = Dictionary(grouping: items, by: key).mapValues { $0[...] }
        return order.compactMap { queues[key(items[$0])]?.popFirst() }
    }
}
