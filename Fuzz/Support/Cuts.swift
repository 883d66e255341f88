/// Ends of the pieces in which octets arrive; the last is their count.
package enum Cuts {
    /// All at once.
    package static func whole(_ count: Int) -> [Int] { [count] }

    package static func byteByByte(_ count: Int) -> [Int] {
        count == 0 ? [0] : Array(1...count)
    }

    /// Pieces of 1 to `longest` octets, as the seed has it.
    package static func some(_ count: Int, seed: Int, longest: Int) -> [Int] {
        var generator = SplitMix(seed: UInt64(truncatingIfNeeded: seed))
        var cuts: [Int] = []
        var at = 0
        while at < count {
            at = min(count, at + 1 + Int(generator.next() % UInt64(max(1, longest))))
            cuts.append(at)
        }
        return cuts.isEmpty ? [0] : cuts
    }
}
