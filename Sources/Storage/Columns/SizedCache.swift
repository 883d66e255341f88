/// A dictionary that forgets what was not asked for of late, bounded by octets: when the younger half of
/// the room is full, the older half is forgotten. `GenerationCache` is the like by entries.
struct SizedCache<Key: Hashable, Value> {
    private struct Entry {
        let value: Value
        let size: Int
    }

    private var young: [Key: Entry] = [:]
    private var old: [Key: Entry] = [:]
    /// Octets of the young ones, about.
    private var size = 0
    private let half: Int

    /// What an entry takes besides its octets.
    private static var overhead: Int { 96 }

    /// - Parameter octets: how many it holds at most
    init(octets: Int) { half = octets / 2 }

    /// Nil where it was never put in, or forgotten.
    mutating func value(_ key: Key) -> Value? {
        if let entry = young[key] { return entry.value }
        guard let entry = old.removeValue(forKey: key) else { return nil }
        put(key, entry)
        return entry.value
    }

    /// - Parameter size: octets that the value takes
    mutating func put(_ key: Key, _ value: Value, size: Int) {
        put(key, Entry(value: value, size: size + Self.overhead))
    }

    private mutating func put(_ key: Key, _ entry: Entry) {
        if entry.size > half { return }
        size -= young.removeValue(forKey: key)?.size ?? 0
        if size + entry.size > half {
            old = young
            young = [:]
            size = 0
        }
        young[key] = entry
        size += entry.size
    }
}
