/// Random numbers that follow from a seed.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }

    /// From 0 up to and without `bound`.
    mutating func next(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    mutating func pick<T>(_ choices: [T]) -> T { choices[next(choices.count)] }

    mutating func shuffle<T>(_ list: inout [T]) {
        for place in stride(from: list.count - 1, to: 0, by: -1) {
            list.swapAt(place, next(place + 1))
        }
    }
}
