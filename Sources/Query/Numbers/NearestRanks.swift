/// Nearest ranks of numbers: the ⌈p·n⌉-th smallest. The numbers are counted by slot, and only a
/// slot that holds the asked rank is sorted.
struct NearestRanks {
    private let values: [Int64]
    private let slots: RankSlots?

    /// Up to this many numbers are sorted as a whole.
    private static let sortThreshold = 64
    private static let maxSlots = 1024

    /// Takes the numbers in any order.
    init(_ values: [Int64]) {
        guard values.count > Self.sortThreshold, let least = values.min(),
            let greatest = values.max()
        else {
            self.values = values.sorted()
            slots = nil
            return
        }
        var slots = RankSlots(least...greatest, maxSlots: Self.maxSlots)
        for value in values { slots.add(value) }
        self.values = values
        self.slots = slots
    }

    /// The percentile; nil without numbers.
    func value(_ percent: Int) -> Int64? {
        if values.isEmpty { return nil }
        let rank = Self.rank(percent, of: values.count)
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

    /// The rank of a percentile among `count` values, at least one: ⌈p·n⌉, the smallest is 1.
    static func rank(_ percent: Int, of count: Int) -> Int { (percent * count + 99) / 100 }
}

/// Counts of values in slots of equal width, into which a range is cut: enough to find the slot in
/// which the value of a rank lies, whatever the order in which values are added.
struct RankSlots {
    private let range: ClosedRange<Int64>
    /// A slot is 2^shift wide.
    private let shift: UInt64
    private var counts: [Int]
    /// How many values lie below the range.
    private var below: Int
    /// How many of these `init` was given.
    private let initiallyBelow: Int

    /// - Parameters:
    ///   - maxSlots: the most slots that the range is cut into; a power of two
    ///   - below: how many values lie below the range without being added
    init(_ range: ClosedRange<Int64>, maxSlots: Int, below: Int = 0) {
        self.range = range
        self.below = below
        initiallyBelow = below
        let last = UInt64(bitPattern: range.upperBound &- range.lowerBound)
        var shift: UInt64 = 0
        while last >> shift >= UInt64(maxSlots) { shift += 1 }
        self.shift = shift
        counts = [Int](repeating: 0, count: Int(last >> shift) + 1)
    }

    /// Adds a value `count` times.
    @inline(__always)
    mutating func add(_ value: Int64, _ count: Int = 1) {
        if value < range.lowerBound {
            below &+= count
        } else if value <= range.upperBound {
            let offset = UInt64(bitPattern: value &- range.lowerBound)
            counts[Int(truncatingIfNeeded: offset &>> shift)] &+= count
        }
    }

    /// Adds what was added to another that was made like this one.
    mutating func merge(_ other: RankSlots) {
        below &+= other.below &- other.initiallyBelow
        for slot in counts.indices { counts[slot] &+= other.counts[slot] }
    }

    /// How many values lie below a slot, by the slot's range.
    func count(below slot: ClosedRange<Int64>) -> Int {
        let offset = UInt64(bitPattern: slot.lowerBound &- range.lowerBound)
        return counts.prefix(Int(truncatingIfNeeded: offset &>> shift)).reduce(below, +)
    }

    /// The slot of the `rank`-th smallest value, counted from 1; nil where it is not in the range.
    func slot(of rank: Int) -> ClosedRange<Int64>? {
        var remaining = rank - below
        guard remaining > 0 else { return nil }
        for (slot, count) in counts.enumerated() {
            remaining -= count
            if remaining > 0 { continue }
            let low = range.lowerBound &+ Int64(bitPattern: UInt64(slot) << shift)
            let width = min((1 << shift) - 1, UInt64(bitPattern: range.upperBound &- low))
            return low...(low &+ Int64(bitPattern: width))
        }
        return nil
    }
}
