import Foundation
import TestSupport
import Testing

@testable import Query

@Suite("The exact sum of doubles")
struct ExactSumTests {
    private static func sum(_ numbers: [Double]) -> ExactSum {
        numbers.reduce(into: ExactSum()) { $0.add($1) }
    }

    private static let greatest: Int128 = 9_007_199_254_740_991_000_000

    @Test(
        "it is rounded once, to millionths, halves away from 0",
        arguments: [
            ([], 0), ([0.0078125], 7813), ([-0.0078125], -7813), ([0.5, -0.5], 0),
            ([1e100, 1, -1e100], 1_000_000), ([1, 1e100, -1e100], 1_000_000),
            ([1e-7, 1e-7, 1e-7, 1e-7], 0), ([0.1, 0.2], 300_000), ([.leastNonzeroMagnitude], 0),
            ([9_007_199_254_740_992, 1, -9_007_199_254_740_992], 1_000_000),
            ([9_007_199_254_740_991, 1], greatest), ([-1e300], -greatest), ([1e300], greatest),
            ([.greatestFiniteMagnitude, .greatestFiniteMagnitude, -1e308], greatest),
            // The double nearest to it has no half any more.
            ([9_007_199_254_740_990.5], 9_007_199_254_740_990_000_000),
            ([4_503_599_627_370_495.5], 4_503_599_627_370_495_500_000),
            ([-4_503_599_627_370_495.5], -4_503_599_627_370_495_500_000),
        ] as [([Double], Int128)])
    func rounded(_ numbers: [Double], _ wanted: Int128) {
        #expect(Self.sum(numbers).millionths() == wanted)
        #expect(Self.sum(numbers.reversed()).millionths() == wanted)
    }

    @Test("a mean is rounded once too, from the sum that was not")
    func mean() {
        #expect(Self.sum([1, 0, 0]).millionths(over: 3) == 333_333)
        #expect(Self.sum([2, 0, 0]).millionths(over: 3) == 666_667)
        #expect(Self.sum([-2, 0, 0]).millionths(over: 3) == -666_667)
        // 1/64 ÷ 2 is a half of a millionth above 7812.
        #expect(Self.sum([0.015625, 0]).millionths(over: 2) == 7813)
        #expect(Self.sum([-0.015625, 0]).millionths(over: 2) == -7813)
        // The sum is held, and its mean is not made of what is held.
        #expect(Self.sum([1e16, 0]).millionths() == Self.greatest)
        #expect(Self.sum([1e16, 0]).millionths(over: 2) == 5_000_000_000_000_000_000_000)
        #expect(Self.sum([1e16, 0]).millionths(over: 1 << 62) == 2168)
    }

    @Test("mantissas that were added up by exponent give the same sum", arguments: 0..<20)
    func mantissas(seed: Int) {
        var random = SplitMix(seed: UInt64(seed))
        let numbers = (0..<500).compactMap { _ in
            let number = Double(bitPattern: random.next())
            return number.isFinite ? random.pick([number, number.rounded(), 1 / number]) : nil
        }.filter(\.isFinite)
        var sums: [Int: Int128] = [:]
        for number in numbers {
            let exponent = Int(number.exponentBitPattern)
            let mantissa = Int128(number.significandBitPattern) + (exponent > 0 ? 1 << 52 : 0)
            sums[exponent, default: 0] += number.sign == .minus ? -mantissa : mantissa
        }
        var sum = ExactSum()
        for (exponent, mantissas) in sums { sum.add(mantissas: mantissas, exponent: exponent) }
        #expect(sum == Self.sum(numbers))
        // What is no exponent of a number adds nothing.
        sum.add(mantissas: 1, exponent: 2047)
        sum.add(mantissas: 1, exponent: -1)
        #expect(sum == Self.sum(numbers))
    }

    @Test("subnormal numbers add up to the double that they make")
    func subnormal() {
        var sum = ExactSum()
        sum.add(.leastNonzeroMagnitude, times: .max)
        sum.add(.leastNonzeroMagnitude)
        // 2^32 of 2^−1074.
        #expect(sum == Self.sum([0x1p-1042]))
        sum.add(-0x1p-1042)
        #expect(sum == ExactSum())
    }

    @Test("any order, any split and any count give the same sum", arguments: 0..<40)
    func anyOrder(seed: Int) {
        var random = SplitMix(seed: UInt64(seed))
        var numbers: [Double] = (0..<200).map { _ in
            while true {
                let number = Double(bitPattern: random.next())
                if number.isFinite { return number }
            }
        }
        let whole = Self.sum(numbers)
        numbers.shuffle(using: &random)
        let cut = Int.random(in: 0...numbers.count, using: &random)
        var parts = Self.sum(Array(numbers[..<cut]))
        parts.add(Self.sum(Array(numbers[cut...])))
        #expect(parts == whole)
        // Each taken away again.
        for number in numbers.shuffled(using: &random) { parts.add(-number) }
        #expect(parts == ExactSum() && parts.millionths() == 0)
        var often = ExactSum()
        for number in numbers.prefix(5) { often.add(number, times: 1000) }
        var single = ExactSum()
        for _ in 0..<1000 { for number in numbers.prefix(5) { single.add(number) } }
        #expect(often == single)
    }
}
