/// A few sessions among very many, by their keys (`SegmentReader.sessions`): most that is not here is told
/// by a bit.
struct SessionSet: Sendable {
    private var keys: Set<UInt64> = []
    private var bits = [UInt64](repeating: 0, count: 1 << 10)

    /// Whether there is none.
    var isEmpty: Bool { keys.isEmpty }

    /// Adds one.
    mutating func insert(_ key: UInt64) {
        keys.insert(key)
        bits[Int(key >> 6 & 1023)] |= 1 << (key & 63)
    }

    /// Whether a session is one of them.
    @inline(__always)
    func contains(_ key: UInt64) -> Bool {
        bits[Int(key >> 6 & 1023)] >> (key & 63) & 1 == 1 && keys.contains(key)
    }

    /// Whether one of a segment's sessions is one of them.
    func containsAny(of keys: [UInt64]) -> Bool { keys.contains { contains($0) } }
}
