/// How often each number came: a table of numbers and counts, at most three quarters full. Every number
/// with a load time is looked up in it some times, so it is no dictionary.
struct NumberCounts: Sendable {
    /// By the bits of a double; where the count is 0 there is none.
    private var numbers: [UInt64] = []
    private var counts: [UInt32] = []
    private var used = 0

    /// Counts a number; −0 is not one of them.
    mutating func insert(_ number: Double) { add(1, number.bitPattern) }

    mutating func merge(_ other: NumberCounts) {
        for (bits, count) in zip(other.numbers, other.counts) where count > 0 { add(count, bits) }
    }

    /// The least first.
    var sorted: [(value: Double, count: Int)] {
        zip(numbers, counts).filter { $0.1 > 0 }
            .map { (value: Double(bitPattern: $0.0), count: Int($0.1)) }
            .sorted { $0.value < $1.value }
    }

    private mutating func add(_ count: UInt32, _ bits: UInt64) {
        if used * 4 >= counts.count * 3 { grow() }
        let index = index(of: bits)
        if counts[index] == 0 {
            numbers[index] = bits
            used += 1
        }
        counts[index] += count
    }

    /// Where a number is, or where it can be put.
    private func index(of bits: UInt64) -> Int {
        let mask = counts.count - 1
        // The highest bits of a product depend on all bits (Knuth, TAOCP 3, 6.4).
        let shift = UInt64(64 - counts.count.trailingZeroBitCount)
        var index = Int((bits &* 0x9e37_79b9_7f4a_7c15) >> shift)
        while counts[index] > 0, numbers[index] != bits { index = (index + 1) & mask }
        return index
    }

    private mutating func grow() {
        let (oldNumbers, oldCounts) = (numbers, counts)
        numbers = Array(repeating: 0, count: max(16, oldCounts.count * 2))
        counts = Array(repeating: 0, count: numbers.count)
        for (bits, count) in zip(oldNumbers, oldCounts) where count > 0 {
            let index = index(of: bits)
            numbers[index] = bits
            counts[index] = count
        }
    }
}
