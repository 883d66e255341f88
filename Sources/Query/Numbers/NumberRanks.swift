import Database
import Storage

/// Ranks among the numbers of one group, the smallest counted from 1. It goes through them a few
/// times, in whatever order, and holds and sorts only those near a rank that is asked for.
struct NumberRanks {
    /// A number that came so often.
    private struct Item {
        let key: Int64
        let count: UInt32
    }

    /// A range in which ranks are looked for.
    private struct Search {
        let range: ClosedRange<Int64>
        /// How many numbers lie below it.
        let below: Int
        /// Indices of the ranks.
        var ranks: [Int]
        var items: [Item] = []
    }

    private let numbers: NumberGroups
    private let group: Int
    private let reading: Reading

    /// A range with at most so many items is sorted, not cut.
    private static let capacity = 1 << 11
    private static let maxSlots = 1 << 14

    /// Of the numbers of a group.
    init(_ numbers: NumberGroups, of group: Int, _ reading: Reading) {
        self.numbers = numbers
        self.group = group
        self.reading = reading
    }

    /// The numbers that have these ranks. Throws if the report has to end.
    /// - Parameters:
    ///   - ranks: from 1 to how many numbers there are
    ///   - range: the least and the greatest of the numbers
    func numbers(
        at ranks: [Int], in range: ClosedRange<Double>
    ) throws(StorageError) -> [Double] {
        var found = [Int64](repeating: 0, count: ranks.count)
        let keys = Self.key(of: range.lowerBound)...Self.key(of: range.upperBound)
        var open = [Search(range: keys, below: 0, ranks: Array(ranks.indices))]
        while !open.isEmpty {
            try reading.check()
            try collect(&open)
            for search in open where search.items.count <= Self.capacity {
                sort(search, ranks, &found)
            }
            open.removeAll { $0.items.count <= Self.capacity }
            open = try cut(open, ranks, &found)
        }
        return found.map(Self.number)
    }

    /// Collects the numbers of each range, as long as they are not too many.
    private func collect(_ searches: inout [Search]) throws(StorageError) {
        let all = searches.map(\.range)
        guard let least = all.map(\.lowerBound).min(), let greatest = all.map(\.upperBound).max()
        else { return }
        var items = [[Item]](repeating: [], count: all.count)
        try forEach { key, count in
            guard key >= least, key <= greatest else { return }
            for (index, range) in all.enumerated() where range.contains(key) {
                if items[index].count <= Self.capacity {
                    items[index].append(Item(key: key, count: count))
                }
            }
        }
        for index in searches.indices { searches[index].items = items[index] }
    }

    private func sort(_ search: Search, _ ranks: [Int], _ found: inout [Int64]) {
        let items = search.items.sorted { $0.key < $1.key }
        var (end, item) = (search.below, 0)
        for index in search.ranks.sorted(by: { ranks[$0] < ranks[$1] }) {
            while item < items.count - 1, end + Int(items[item].count) < ranks[index] {
                end += Int(items[item].count)
                item += 1
            }
            found[index] = items[item].key
        }
    }

    /// The slots of the ranges that have the ranks; those of a single number are found.
    private func cut(
        _ searches: [Search], _ ranks: [Int], _ found: inout [Int64]
    ) throws(StorageError) -> [Search] {
        if searches.isEmpty { return [] }
        var slots = searches.map { RankSlots($0.range, maxSlots: Self.maxSlots) }
        try forEach { key, count in
            for index in slots.indices { slots[index].add(key, Int(count)) }
        }
        var parts: [Search] = []
        for (search, slots) in zip(searches, slots) {
            for index in search.ranks {
                guard let slot = slots.slot(of: ranks[index]) else { continue }
                if slot.lowerBound == slot.upperBound {
                    found[index] = slot.lowerBound
                } else if let known = parts.firstIndex(where: { $0.range == slot }) {
                    parts[known].ranks.append(index)
                } else {
                    parts.append(
                        Search(range: slot, below: slots.count(below: slot), ranks: [index]))
                }
            }
        }
        return parts
    }

    @inline(__always)
    private func forEach(_ body: (Int64, UInt32) -> Void) throws(StorageError) {
        try numbers.forEach(of: group, reading) { body(Self.key(of: $0), $1) }
    }

    /// A whole number in the order of doubles.
    @inline(__always)
    private static func key(of number: Double) -> Int64 {
        let bits = Int64(bitPattern: number.bitPattern)
        return bits < 0 ? bits ^ Int64.max : bits
    }

    private static func number(of key: Int64) -> Double {
        Double(bitPattern: UInt64(bitPattern: key < 0 ? key ^ Int64.max : key))
    }
}
