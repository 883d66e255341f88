/// A few sessions among very many, by their keys (`SegmentReader.sessions`): a bit filter rejects
/// most sessions that are not here.
struct SessionSet: Sendable {
    private var keys: Set<UInt64> = []
    private var bits = [UInt64](repeating: 0, count: 1 << 10)

    /// Whether the set is empty.
    var isEmpty: Bool { keys.isEmpty }

    /// Adds a session.
    mutating func insert(_ key: UInt64) {
        keys.insert(key)
        bits[Int(key >> 6 & 1023)] |= 1 << (key & 63)
    }

    /// Whether the set has a session.
    @inline(__always)
    func contains(_ key: UInt64) -> Bool {
        bits[Int(key >> 6 & 1023)] >> (key & 63) & 1 == 1 && keys.contains(key)
    }

    /// Whether the set has any of a segment's sessions.
    func containsAny(of keys: [UInt64]) -> Bool { keys.contains { contains($0) } }
}
