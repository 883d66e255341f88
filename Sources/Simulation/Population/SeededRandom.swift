/// A source of chance that says the same for the same seed on every machine and in every version of
/// the program: xoshiro256** (Blackman and Vigna 2018), its state filled by SplitMix64 as its
/// authors advise. The standard library's `Int.random(in:using:)` does not promise that, so nothing
/// here uses it; nor floating point, whose logarithms differ between C libraries.
struct SeededRandom {
    private var a, b, c, d: UInt64

    /// The stream of this seed.
    init(seed: UInt64) {
        var state = seed
        a = Self.splitMix(&state)
        b = Self.splitMix(&state)
        c = Self.splitMix(&state)
        d = Self.splitMix(&state)
    }

    /// A seed made of two: streams of neighbouring numbers have nothing in common.
    static func mix(_ seed: UInt64, _ number: UInt64) -> UInt64 {
        var state = seed ^ (number &* 0xD6E8_FEB8_6659_FD93)
        return splitMix(&state)
    }

    /// The next 64 bits.
    mutating func next() -> UInt64 {
        let result = Self.rotate(b &* 5, 7) &* 9
        let shifted = b << 17
        c ^= a
        d ^= b
        b ^= c
        a ^= d
        c ^= shifted
        d = Self.rotate(d, 45)
        return result
    }

    /// A number from 0 up to `bound`, which is left out. A bound below 1 gives 0.
    mutating func below(_ bound: Int) -> Int {
        guard bound > 0 else { return 0 }
        // The high half of the product: no division, and a bias of bound ÷ 2^64.
        return Int(next().multipliedFullWidth(by: UInt64(bound)).high)
    }

    /// A number of `range`.
    mutating func within(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + below(range.upperBound - range.lowerBound + 1)
    }

    /// True so many times in a thousand.
    mutating func chance(perMille: Int) -> Bool { below(1_000) < perMille }

    /// True so many times in ten thousand.
    mutating func chance(perMyriad: Int) -> Bool { below(10_000) < perMyriad }

    /// An index in `weights`, each as often as its weight says.
    mutating func index(in weights: [Int]) -> Int {
        var rest = below(weights.reduce(0, +))
        for (index, weight) in weights.enumerated() {
            if rest < weight { return index }
            rest -= weight
        }
        return 0
    }

    /// An index below `count` where early ones come up far more often than late ones.
    mutating func earlyIndex(below count: Int) -> Int {
        below(below(below(count) + 1) + 1)
    }

    private static func rotate(_ word: UInt64, _ by: UInt64) -> UInt64 {
        word << by | word >> (64 - by)
    }

    private static func splitMix(_ state: inout UInt64) -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}
