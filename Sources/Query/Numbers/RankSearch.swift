/// Searches for the value of one rank among many values that are not held in memory: the caller
/// adds all of them a few times, and each time the range in which the value lies narrows to one
/// slot of it.
///
///     while search.isOpen { …; search.add(…); …; search.narrow() }
struct RankSearch {
    /// The range in which the value lies.
    private(set) var range: ClosedRange<Int64>
    /// Counted from 1, the smallest first.
    private let rank: Int
    private let maxSlots: Int
    private var slots: RankSlots
    /// How many values below the range are no longer added.
    private var leftOut = 0
    /// Counts of the upper bounds where only ranges of values were added.
    private var ends: RankSlots?

    /// - Parameters:
    ///   - percent: the nearest rank: the ⌈p·n⌉-th smallest
    ///   - count: how many values there are, at least one
    ///   - range: the range in which all of them lie
    ///   - maxSlots: the most slots that a range is cut into; a power of two
    init(percent: Int, of count: Int, in range: ClosedRange<Int64>, slots maxSlots: Int) {
        rank = NearestRanks.rank(percent, of: count)
        self.range = range
        self.maxSlots = maxSlots
        slots = RankSlots(range, maxSlots: maxSlots)
    }

    /// Whether the value has not been found yet.
    var isOpen: Bool { range.lowerBound < range.upperBound }

    /// Adds the values `minuend` − each of the first `count` numbers.
    mutating func add(_ minuend: Int64, minus numbers: [Int64], _ count: Int) {
        for index in 0..<count { slots.add(minuend &- numbers[index]) }
    }

    /// Counts `count` values below the range for good: the caller no longer adds them.
    mutating func leaveOut(_ count: Int) {
        leftOut += count
        slots.add(.min, count)
    }

    /// Adds `count` values that lie below the range.
    mutating func addBelow(_ count: Int) { slots.add(.min, count) }

    /// Adds `count` values of which only the least and the greatest are known. Until the next
    /// `narrow` either all values are added so, or none.
    mutating func add(_ count: Int, between range: ClosedRange<Int64>) {
        slots.add(range.lowerBound, count)
        if ends == nil { ends = RankSlots(self.range, maxSlots: maxSlots) }
        ends?.add(range.upperBound, count)
    }

    /// Adds what was added to another that was made like this one.
    mutating func merge(_ other: RankSearch) {
        slots.merge(other.slots)
        guard let added = other.ends else { return }
        if ends == nil { ends = added } else { ends?.merge(added) }
    }

    /// Narrows the range, once all values have been added.
    mutating func narrow() {
        // No value lies below the lower bound of its own range. So the value of a rank does not lie
        // below the lower bound of that rank; the same holds for upper bounds.
        let found = slots.slot(of: rank)
        let low = found?.lowerBound ?? range.lowerBound
        let high = ends.map { $0.slot(of: rank)?.upperBound ?? low } ?? found?.upperBound ?? low
        range = low...max(low, high)
        ends = nil
        slots = RankSlots(range, maxSlots: maxSlots, below: leftOut)
    }
}
