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
