/// A hash table from the hashes of some values to their numbers, 0 and up; the caller stores and
/// compares the values. The hashes have to be keyed, so that nobody can slow the search down.
struct HashSlots: Sendable {
    /// The upper 32 bits of a hash, then its number + 1; 0 is free. Their count is a power of two,
    /// at least twice that of the numbers.
    private var slots: [UInt64]
    /// How many numbers there are.
    private(set) var count = 0

    private static let upper: UInt64 = 0xffff_ffff << 32

    /// An empty table with room for half of `slots`, which is a power of two.
    init(slots: Int = 64) { self.slots = [UInt64](repeating: 0, count: slots) }

    /// The bytes of the slots.
    var allocatedBytes: Int { slots.allocatedBytes }

    /// The number that has the hash and that `matches` accepts; nil where there is none.
    @inline(__always)
    func number(_ hash: UInt64, where matches: (Int) -> Bool) -> Int? {
        let mask = slots.count &- 1
        var slot = Int(truncatingIfNeeded: hash >> 32) & mask
        while slots[slot] != 0 {
            let entry = slots[slot]
            if (entry ^ hash) & Self.upper == 0 {
                let number = Int(UInt32(truncatingIfNeeded: entry)) &- 1
                if matches(number) { return number }
            }
            slot = (slot &+ 1) & mask
        }
        return nil
    }

    /// Adds a number below 2^32 − 1 for a value that has none yet.
    mutating func insert(_ number: Int, _ hash: UInt64) {
        if (count + 1) * 2 > slots.count { grow() }
        put(hash & Self.upper | UInt64(UInt32(truncatingIfNeeded: number + 1)))
        count += 1
    }

    private mutating func put(_ entry: UInt64) {
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: entry >> 32) & mask
        while slots[slot] != 0 { slot = (slot + 1) & mask }
        slots[slot] = entry
    }

    private mutating func grow() {
        let old = slots
        slots = [UInt64](repeating: 0, count: old.count * 2)
        for entry in old where entry != 0 { put(entry) }
    }
}

/// Hashes of numbers that come from outside. Each process draws its own key, so nobody can predict
/// them.
enum NumberHash {
    private static let key = UInt64.random(in: 0...(.max))

    /// Each bit of the hash depends on all bits of both numbers.
    @inline(__always)
    static func hash(_ a: UInt64, _ b: UInt64 = 0) -> UInt64 {
        let first = (a ^ key).multipliedFullWidth(by: 0x9e37_79b9_7f4a_7c15)
        let second = (first.high ^ first.low ^ b ^ key << 1)
            .multipliedFullWidth(by: 0xd6e8_feb8_6659_fd93)
        return second.high ^ second.low
    }
}
