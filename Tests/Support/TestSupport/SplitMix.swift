/// Random numbers that follow from a seed (Steele, Lea and Flood, 2014), so that what failed can
/// be run again.
package struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    /// The numbers of a seed.
    package init(seed: UInt64) {
        state = seed
    }

    /// The next number.
    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }

    /// From 0 up to and without `bound`.
    package mutating func next(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    /// One of `choices`, of which there must be one.
    package mutating func pick<T>(_ choices: [T]) -> T { choices[next(choices.count)] }

    /// Puts a list into another order.
    package mutating func shuffle<T>(_ list: inout [T]) {
        for index in stride(from: list.count - 1, to: 0, by: -1) {
            list.swapAt(index, next(index + 1))
        }
    }

    /// True once in `count` times.
    package mutating func oneIn(_ count: Int) -> Bool {
        Int.random(in: 0..<count, using: &self) == 0
    }
}
