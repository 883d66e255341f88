/// Some sessions of a segment: a bit for each, in their order.
struct SessionMarks {
    private var bits: [UInt64] = []

    /// Whether a session is one of them, by its index.
    @inline(__always)
    subscript(session: Int) -> Bool { bits[session >> 6] >> UInt64(session & 63) & 1 == 1 }

    /// Takes all of so many.
    mutating func setAll(_ count: Int) {
        bits.removeAll(keepingCapacity: true)
        bits += repeatElement(~0, count: (count + 63) / 64)
    }

    /// Takes those that have a bit.
    /// - Parameter known: a bit for each
    mutating func set(_ known: [UInt64]) {
        bits.removeAll(keepingCapacity: true)
        bits += known
    }

    /// Takes none of so many.
    mutating func clear(_ count: Int) {
        bits.removeAll(keepingCapacity: true)
        bits += repeatElement(0, count: (count + 63) / 64)
    }

    /// Takes those too whose keys are wanted.
    /// - Parameter keys: of all sessions of the segment
    @inline(__always)
    mutating func insert(_ keys: [UInt64], where isWanted: (UInt64) -> Bool) {
        for index in keys.indices where isWanted(keys[index]) {
            bits[index >> 6] |= 1 << UInt64(index & 63)
        }
    }

    /// Whether one of them has a key that is in a filter.
    /// - Parameter keys: of all sessions of the segment
    func contains(anyOf filter: KeyFilter, _ keys: [UInt64]) -> Bool {
        for word in bits.indices {
            var rest = bits[word]
            while rest != 0 {
                let index = word << 6 + rest.trailingZeroBitCount
                if index < keys.count, filter.contains(keys[index]) { return true }
                rest &= rest &- 1
            }
        }
        return false
    }
}
