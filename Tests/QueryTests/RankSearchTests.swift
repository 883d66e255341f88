import TestSupport
import Testing

@testable import Query

@Suite("RankSearch")
struct RankSearchTests {
    /// What is found of values that lie in parts, as batches have events.
    private func found(
        _ parts: [[Int64]], _ percent: Int, slots: Int, leavesOut: Bool = true
    ) -> Int64? {
        func range(_ part: [Int64]) -> ClosedRange<Int64>? {
            guard let low = part.min(), let high = part.max() else { return nil }
            return low...high
        }
        let values = parts.flatMap { $0 }
        guard let whole = range(values) else { return nil }
        var search = RankSearch(percent: percent, of: values.count, in: whole, slots: slots)
        for part in parts {
            if let range = range(part) { search.add(part.count, between: range) }
        }
        search.narrow()
        let reach = search.range
        var left: [[Int64]] = []
        for part in parts {
            guard let range = range(part) else { continue }
            if range.overlaps(reach) || !leavesOut {
                left.append(part)
            } else if range.upperBound < reach.lowerBound {
                search.leaveOut(part.count)
            }
        }
        var rounds = 0
        while search.isOpen, rounds < 70 {
            rounds += 1
            for part in left { search.add(10, minus: part.map { 10 &- $0 }, part.count) }
            search.narrow()
        }
        return search.isOpen ? nil : search.range.lowerBound
    }

    @Test("it finds what sorting finds, with any number of slots", arguments: [2, 16, 65_536])
    func agreesWithSorting(slots: Int) {
        var random = SplitMix(seed: 7)
        for spread: Int64 in [1, 3, 1000, 1 << 45] {
            let parts = (0..<40).map { _ in
                let start = Int64(random.next() >> 1) % spread - spread / 2
                return (0..<Int(random.next() % 9)).map { _ in
                    start + Int64(random.next() >> 1) % max(1, spread / 10)
                }
            }
            let sorted = parts.flatMap { $0 }.sorted()
            for percent in [1, 50, 95, 100] {
                let wanted = sorted[(percent * sorted.count + 99) / 100 - 1]
                #expect(found(parts, percent, slots: slots) == wanted)
                #expect(found(parts, percent, slots: slots, leavesOut: false) == wanted)
            }
        }
    }

    @Test("the furthest values that there are fit between its slots")
    func extremes() {
        let parts: [[Int64]] = [[.min, 0], [.max], [-1, 1]]
        #expect(found(parts, 1, slots: 16) == .min)
        #expect(found(parts, 50, slots: 16) == 0)
        #expect(found(parts, 100, slots: 16) == .max)
    }
}
