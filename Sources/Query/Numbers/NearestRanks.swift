/// Nearest ranks of numbers: the ⌈p·n⌉-th smallest. They are put into slots, of which only those that have
/// a rank that is asked for are sorted.
struct NearestRanks {
    private let values: [Int64]
    private let slots: RankSlots?

    /// Few are simply sorted.
    private static let few = 64
    private static let mostSlots = 1024

    /// Of these, in any order.
    init(_ values: [Int64]) {
        guard values.count > Self.few, let least = values.min(), let most = values.max() else {
            self.values = values.sorted()
            slots = nil
            return
        }
        var slots = RankSlots(least...most, most: Self.mostSlots)
        for value in values { slots.add(value) }
        self.values = values
        self.slots = slots
    }

    /// The percentile; nil of nothing.
    func value(_ percent: Int) -> Int64? {
        if values.isEmpty { return nil }
        let rank = (percent * values.count + 99) / 100
        guard let slot = slots?.slot(of: rank) else { return values[rank - 1] }
        var below = 0
        var within: [Int64] = []
        for value in values {
            if value < slot.lowerBound {
                below &+= 1
            } else if value <= slot.upperBound {
                within.append(value)
            }
        }
        within.sort()
        return within[rank - below - 1]
    }
}

/// How many of many values lie in each of some slots of equal width, into which a range is cut:
/// enough to tell in which slot the value of a rank lies, whatever their order.
struct RankSlots {
    private let range: ClosedRange<Int64>
    /// A slot is 2^shift wide.
    private let shift: UInt64
    private var counts: [Int]
    /// Values below the range.
    private var below: Int
    /// Of these, those that were there from the begin.
    private let left: Int

    /// - Parameters:
    ///   - most: slots at most; a power of two
    ///   - below: values that lie below the range and are not added
    init(_ range: ClosedRange<Int64>, most: Int, below: Int = 0) {
        self.range = range
        self.below = below
        left = below
        let last = UInt64(bitPattern: range.upperBound &- range.lowerBound)
        var shift: UInt64 = 0
        while last >> shift >= UInt64(most) { shift += 1 }
        self.shift = shift
        counts = [Int](repeating: 0, count: Int(last >> shift) + 1)
    }

    /// Adds a value, or so many.
    @inline(__always)
    mutating func add(_ value: Int64, _ count: Int = 1) {
        if value < range.lowerBound {
            below &+= count
        } else if value <= range.upperBound {
            let offset = UInt64(bitPattern: value &- range.lowerBound)
            counts[Int(truncatingIfNeeded: offset &>> shift)] &+= count
        }
    }

    /// Adds what was added to another one that began as this did.
    mutating func merge(_ other: RankSlots) {
        below &+= other.below &- other.left
        for place in counts.indices { counts[place] &+= other.counts[place] }
    }

    /// The slot of the `rank`-th smallest value, counted from 1; nil where it is not in the range.
    func slot(of rank: Int) -> ClosedRange<Int64>? {
        var left = rank - below
        guard left > 0 else { return nil }
        for (slot, count) in counts.enumerated() {
            left -= count
            if left > 0 { continue }
            let low = range.lowerBound &+ Int64(bitPattern: UInt64(slot) << shift)
            let width = min((1 << shift) - 1, UInt64(bitPattern: range.upperBound &- low))
            return low...(low &+ Int64(bitPattern: width))
        }
        return nil
    }
}
