import Database
import Storage

/// Finds ranks among the numbers of one group, the smallest counted from 1: goes through them a few times, in
/// whatever order, and holds and sorts only what lies near a rank that is asked for.
struct NumberRanks {
    /// A number that came so often.
    private struct Item {
        let key: Int64
        let count: UInt32
    }

    private let numbers: NumberGroups
    private let group: Int
    private let reading: Reading

    /// So many are held at once.
    private static let capacity = 1 << 17
    private static let maxSlots = 1 << 14

    /// Of the numbers of a group.
    init(_ numbers: NumberGroups, of group: Int, _ reading: Reading) {
        self.numbers = numbers
        self.group = group
        self.reading = reading
    }

    /// The numbers that have these ranks, which there are. Throws if the report is to end.
    /// - Parameter range: in which all of them lie
    func numbers(
        at ranks: [Int], in range: ClosedRange<Double>
    ) throws(StorageError) -> [Double] {
        var found = [Int64](repeating: 0, count: ranks.count)
        let keys = Self.key(of: range.lowerBound)...Self.key(of: range.upperBound)
        try find(Array(ranks.indices), of: ranks, in: keys, &found)
        return found.map(Self.number)
    }

    /// Finds some of the ranks, which lie in a range of keys.
    private func find(
        _ some: [Int], of ranks: [Int], in range: ClosedRange<Int64>, _ found: inout [Int64]
    ) throws(StorageError) {
        try reading.check()
        if range.lowerBound == range.upperBound {
            for index in some { found[index] = range.lowerBound }
            return
        }
        if let (items, below) = items(in: range) {
            var (end, item) = (below, 0)
            for index in some.sorted(by: { ranks[$0] < ranks[$1] }) {
                while item < items.count, end + Int(items[item].count) < ranks[index] {
                    end += Int(items[item].count)
                    item += 1
                }
                found[index] = items[min(item, items.count - 1)].key
            }
            return
        }
        var slots = RankSlots(range, maxSlots: Self.maxSlots)
        forEach { slots.add($0, Int($1)) }
        var parts: [ClosedRange<Int64>: [Int]] = [:]
        for index in some {
            if let slot = slots.slot(of: ranks[index]) { parts[slot, default: []].append(index) }
        }
        for (slot, some) in parts { try find(some, of: ranks, in: slot, &found) }
    }

    /// Those in a range, sorted, and how many lie below it; nil where they are too many.
    private func items(in range: ClosedRange<Int64>) -> (items: [Item], below: Int)? {
        var items: [Item] = []
        var room = HeldBytes(reading.account)
        var below = 0
        forEach { key, count in
            if key < range.lowerBound {
                below += Int(count)
            } else if key <= range.upperBound, items.count <= Self.capacity {
                items.append(Item(key: key, count: count), &room)
            }
        }
        guard items.count <= Self.capacity else { return nil }
        items.sort { $0.key < $1.key }
        return (items, below)
    }

    @inline(__always)
    private func forEach(_ body: (Int64, UInt32) -> Void) {
        numbers.forEach(of: group) { body(Self.key(of: $0), $1) }
    }

    /// What is in the order of doubles.
    @inline(__always)
    private static func key(of number: Double) -> Int64 {
        let bits = Int64(bitPattern: number.bitPattern)
        return bits < 0 ? bits ^ Int64.max : bits
    }

    private static func number(of key: Int64) -> Double {
        Double(bitPattern: UInt64(bitPattern: key < 0 ? key ^ Int64.max : key))
    }
}
