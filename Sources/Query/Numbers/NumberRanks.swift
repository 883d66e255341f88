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

    /// The numbers of some ranges, as long as they are not too many.
    private struct Collected: ReportShare {
        let ranges: [ClosedRange<Int64>]
        private(set) var items: [[Item]]

        init(_ ranges: [ClosedRange<Int64>]) {
            self.ranges = ranges
            items = [[Item]](repeating: [], count: ranges.count)
        }

        @inline(__always)
        mutating func add(_ key: Int64, _ count: UInt32) {
            for index in ranges.indices
            where key >= ranges[index].lowerBound && key <= ranges[index].upperBound {
                append(Item(key: key, count: count), index)
            }
        }

        private mutating func append(_ item: Item, _ index: Int) {
            if items[index].count <= capacity { items[index].append(item) }
        }

        mutating func merge(_ other: Collected) {
            for index in items.indices {
                for item in other.items[index] { append(item, index) }
            }
        }
    }

    /// How many numbers the slots of some ranges have.
    private struct Cuts: ReportShare {
        var slots: [RankSlots]

        mutating func merge(_ other: Cuts) {
            for index in slots.indices { slots[index].merge(other.slots[index]) }
        }
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
    private let isShared: Bool
    private let reading: Reading

    /// A range with at most so many items is sorted, not cut.
    private static let capacity = 1 << 11
    private static let maxSlots = 1 << 14

    /// Of the numbers of a group.
    /// - Parameter isShared: all threads go through them, each through what one of them found
    init(
        _ numbers: NumberGroups, of group: Int, isShared: Bool = false, _ reading: Reading
    ) {
        self.numbers = numbers
        self.group = group
        self.isShared = isShared
        self.reading = reading
    }

    /// The numbers that have these ranks. Throws if the report has to end.
    /// - Parameters:
    ///   - ranks: from 1 to how many numbers there are
    ///   - range: the least and the greatest of the numbers
    ///   - count: how many there are
    func numbers(
        at ranks: [Int], in range: ClosedRange<Double>, of count: Int
    ) throws(StorageError) -> [Double] {
        var found = [Int64](repeating: 0, count: ranks.count)
        let keys = Self.key(of: range.lowerBound)...Self.key(of: range.upperBound)
        var open = [Search(range: keys, below: 0, ranks: Array(ranks.indices))]
        // So many are never collected: even if all are few numbers that came often, slots are enough.
        if count > Self.maxSlots { open = try cut(open, ranks, &found) }
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
        let collected = try addAll(to: Collected(all)) { (share, pool) throws(StorageError) in
            try forEach(in: pool) { key, count in
                if key >= least, key <= greatest { share.add(key, count) }
            }
        }
        for index in searches.indices { searches[index].items = collected.items[index] }
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
        let empty = Cuts(slots: searches.map { RankSlots($0.range, maxSlots: Self.maxSlots) })
        let cuts = try addAll(to: empty) { (share, pool) throws(StorageError) in
            try forEach(in: pool) { key, count in
                for index in share.slots.indices { share.slots[index].add(key, Int(count)) }
            }
        }
        var parts: [Search] = []
        for (search, slots) in zip(searches, cuts.slots) {
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

    private func addAll<Share: ReportShare>(
        to empty: Share,
        _ body: @escaping @Sendable (inout Share, _ pool: Int?) throws(StorageError) -> Void
    ) throws(StorageError) -> Share {
        try numbers.added(to: empty, isShared: isShared, reading, body)
    }

    @inline(__always)
    private func forEach(
        in pool: Int?, _ body: (Int64, UInt32) -> Void
    ) throws(StorageError) {
        try numbers.forEach(of: group, in: pool, reading) { body(Self.key(of: $0), $1) }
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
