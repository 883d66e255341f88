/// Looks for the value of one rank among many values that are kept nowhere: they are gone through a
/// few times, and each time the range in which it lies is cut into slots and becomes one of them.
///
///     while search.isOpen { …; search.add(…); …; search.narrow() }
struct RankSearch {
    /// In which the value lies.
    private(set) var range: ClosedRange<Int64>
    /// Counted from 1, the smallest first.
    private let rank: Int
    private let most: Int
    private var slots: RankSlots
    /// Values below that are not added.
    private var left = 0
    /// Of the ends of ranges.
    private var ends: RankSlots?

    /// - Parameters:
    ///   - percent: the nearest rank: the ⌈p·n⌉-th smallest
    ///   - count: how many values there are, at least one
    ///   - range: in which all of them lie
    ///   - most: slots at most; a power of two
    init(percent: Int, of count: Int, in range: ClosedRange<Int64>, slots most: Int) {
        rank = (percent * count + 99) / 100
        self.range = range
        self.most = most
        slots = RankSlots(range, most: most)
    }

    /// Whether it is still to be found.
    var isOpen: Bool { range.lowerBound < range.upperBound }

    /// Adds the values `minuend` − each of the first `count` numbers.
    mutating func add(_ minuend: Int64, minus numbers: [Int64], _ count: Int) {
        for place in 0..<count { slots.add(minuend &- numbers[place]) }
    }

    /// Leaves out so many values that lie below its range: they are not added any more.
    mutating func leaveOut(_ count: Int) {
        left += count
        slots.add(.min, count)
    }

    /// Adds so many values that lie below its range.
    mutating func addBelow(_ count: Int) { slots.add(.min, count) }

    /// Adds so many values of which only the least and the greatest are known; all are added so, or
    /// none.
    mutating func add(_ count: Int, between range: ClosedRange<Int64>) {
        slots.add(range.lowerBound, count)
        if ends == nil { ends = RankSlots(self.range, most: most) }
        ends?.add(range.upperBound, count)
    }

    /// Adds what was added to another one that began as this did.
    mutating func merge(_ other: RankSearch) {
        slots.merge(other.slots)
        guard let added = other.ends else { return }
        if ends == nil { ends = added } else { ends?.merge(added) }
    }

    /// All values have been added.
    mutating func narrow() {
        // No value lies before the begin of its range. So the value of a rank does not lie before
        // the begin of that rank; with the ends it is the same.
        let found = slots.slot(of: rank)
        let low = found?.lowerBound ?? range.lowerBound
        let high = ends.map { $0.slot(of: rank)?.upperBound ?? low } ?? found?.upperBound ?? low
        range = low...max(low, high)
        ends = nil
        slots = RankSlots(range, most: most, below: left)
    }
}
