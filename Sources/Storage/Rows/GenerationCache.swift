/// A dictionary that evicts what was not asked for recently: two generations, of which the older is
/// dropped when the younger holds half of the capacity. Every operation takes constant time, and no order
/// has to be kept as a list of the least recently used would need.
struct GenerationCache<Key: Hashable, Value> {
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]
    private let half: Int

    /// - Parameter capacity: the maximum of entries
    init(capacity: Int) { half = max(capacity / 2, 1) }

    var count: Int { young.count + old.count }

    /// Nil where it was never put in, or forgotten.
    mutating func value(_ key: Key) -> Value? {
        if let value = young[key] { return value }
        guard let value = old.removeValue(forKey: key) else { return nil }
        put(key, value)
        return value
    }

    mutating func put(_ key: Key, _ value: Value) {
        young[key] = value
        // An entry is in one generation only, or `count` would lie.
        if !old.isEmpty { old[key] = nil }
        if young.count >= half {
            old = young
            young = [:]
            young.reserveCapacity(min(half, 1024))
        }
    }

    mutating func remove(_ key: Key) {
        young[key] = nil
        old[key] = nil
    }

    mutating func removeAll() {
        young = [:]
        old = [:]
    }
}
