import TestSupport
import Testing

@testable import Query

@Suite("Nearest ranks")
struct NearestRanksTests {
    @Test("are those of the sorted numbers", arguments: 0..<40)
    func sorted(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let spread: [ClosedRange<Int64>] = [0...0, 0...9, -50...5_000_000, .min ... .max]
        let range = spread[Int(seed % 4)]
        var numbers = (0..<Int.random(in: 1...3000, using: &random)).map { _ in
            Int64.random(in: range, using: &random)
        }
        // One far from all others: these share a slot.
        if seed % 3 == 0 { numbers.append(1 << 53) }
        let ranks = NearestRanks(numbers)
        numbers.sort()
        for percent in 1...100 {
            #expect(ranks.value(percent) == numbers[(percent * numbers.count + 99) / 100 - 1])
        }
    }

    @Test("are none of nothing")
    func none() { #expect(NearestRanks([]).value(50) == nil) }
}
