import TestSupport
import Testing

@testable import Query
@testable import Reports

@Suite("Survival")
struct SurvivalTests {
    /// The same by fractions that fit into 128 bits.
    private func exact(_ factors: [(Int, Int)]) -> (millionths: Int64, isAtMostHalf: Bool) {
        var n: Int128 = 1
        var d: Int128 = 1
        for (lost, atRisk) in factors {
            n *= Int128(atRisk - lost)
            d *= Int128(atRisk)
        }
        return (Int64((2_000_000 * n + d) / (2 * d)), 2 * n <= d)
    }

    @Test("it is rounded half up, once, from the exact product")
    func rounding() {
        var random = SplitMix(seed: 5)
        for _ in 0..<2000 {
            var survival = Survival()
            var factors: [(Int, Int)] = []
            // 105 bits at most, and room for two millions.
            for _ in 0..<(1 + random.next(8)) {
                let atRisk = 1 + random.next(9000)
                let lost = random.next(min(atRisk, 1 + random.next(atRisk)) + 1)
                factors.append((lost, atRisk))
                survival.lose(lost, of: atRisk)
                if factors.count > 7 { break }
            }
            let wanted = exact(Array(factors.prefix(7)))
            if factors.count > 7 { continue }
            #expect(survival.rounded == wanted.millionths, "\(factors)")
            #expect(survival.isAtMostHalf == wanted.isAtMostHalf, "\(factors)")
        }
    }

    @Test(
        "a half of the last place goes up, a hair below it does not",
        arguments: [
            // 1 − 127/128 = 0.0078125
            ([(127, 128)], 7813), ([(1, 2_000_000)], 1_000_000), ([(3, 2_000_000)], 999_999),
            ([(1_999_999, 2_000_000)], 1), ([(2_000_000, 2_000_001)], 0), ([(1, 1)], 0),
            ([(0, 3)], 1_000_000), ([], 1_000_000),
        ] as [([(Int, Int)], Int64)])
    func halves(factors: [(Int, Int)], millionths: Int64) {
        var survival = Survival()
        for (lost, atRisk) in factors { survival.lose(lost, of: atRisk) }
        #expect(survival.rounded == millionths)
    }

    @Test("a product of any length stays exact: it telescopes to what is left of all")
    func long() {
        var survival = Survival()
        // (3000/3001) · (2999/3000) · … · (1501/1502), in an order in which nothing cancels at once.
        var factors = (1501...3000).map { (1, $0 + 1) }
        var random = SplitMix(seed: 9)
        random.shuffle(&factors)
        for (lost, atRisk) in factors { survival.lose(lost, of: atRisk) }
        // 1501 ÷ 3001 = 0.5001666…
        #expect(survival.rounded == 500_167 && !survival.isAtMostHalf)
        survival.lose(1, of: 1501)
        // 1500 ÷ 3001 = 0.4998333…
        #expect(survival.rounded == 499_833 && survival.isAtMostHalf)
    }

    @Test("numbers of many digits add, multiply and compare as small ones do")
    func naturals() {
        // (2^64 − 1)^2 + 2·(2^64 − 1) + 1 = 2^128.
        let most = UInt64.max
        var square = Natural(most)
        square.multiply(by: most)
        var twice = Natural(most)
        twice.multiply(by: 2)
        square.add(twice)
        var power = Natural(1 << 63)
        for _ in 0..<65 { power.multiply(by: 2) }
        #expect(square < power)
        square.add(Natural(1))
        #expect(square == power)
        power.multiply(by: 0)
        #expect(power == Natural(0) && power < Natural(1))
        power.add(Natural(7))
        #expect(power == Natural(7))
    }
}
