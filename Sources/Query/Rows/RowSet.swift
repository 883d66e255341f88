/// A set of row ids: a bit each where they are as small as they mostly are.
struct RowSet: Sendable {
    /// By row id, up to the greatest of them that is below `dense`.
    private var bits: [UInt64] = []
    /// The others: a row id may be anything.
    private var others: Set<Int64> = []
    /// Where bits would take more than 8 MB.
    private static let dense: Int64 = 1 << 26

    /// Adds one.
    mutating func insert(_ id: Int64) {
        guard (0..<Self.dense).contains(id) else {
            others.insert(id)
            return
        }
        let place = Int(id >> 6)
        if place >= bits.count {
            bits += repeatElement(0, count: max(place + 1 - bits.count, bits.count))
        }
        bits[place] |= 1 << UInt64(id & 63)
    }

    /// Whether it is in it.
    @inline(__always)
    func contains(_ id: Int64) -> Bool {
        guard (0..<Self.dense).contains(id) else { return others.contains(id) }
        let place = Int(id >> 6)
        return place < bits.count && bits[place] >> UInt64(id & 63) & 1 == 1
    }
}
