import Synchronization

/// A dictionary that evicts what was not asked for recently, bounded by bytes: when the younger half of
/// its capacity is full, the older half is evicted, and sooner where others need memory (`CacheRoom`).
/// `GenerationCache` is the same, bounded by entries.
struct SizedCache<Key: Hashable, Value> {
    private struct Entry {
        let value: Value
        let size: Int
    }

    private var young: [Key: Entry] = [:]
    private var old: [Key: Entry] = [:]
    /// Bytes of the young ones, and of the old ones, about.
    private var size = 0
    private var oldSize = 0
    private let half: Int
    private let room: CacheRoom

    /// What an entry takes besides its bytes.
    private static var overhead: Int { 96 }

    /// - Parameters:
    ///   - bytes: its capacity
    ///   - room: the capacity that it shares with others
    init(bytes: Int, room: CacheRoom = CacheRoom()) {
        half = bytes / 2
        self.room = room
    }

    /// Nil where it was never put in, or was evicted.
    mutating func value(_ key: Key) -> Value? {
        if let entry = young[key] { return entry.value }
        guard let entry = old.removeValue(forKey: key) else { return nil }
        oldSize -= entry.size
        room.add(-entry.size)
        put(key, entry)
        return entry.value
    }

    /// - Parameter size: bytes that the value takes
    mutating func put(_ key: Key, _ value: Value, size: Int) {
        put(key, Entry(value: value, size: size + Self.overhead))
    }

    /// Evicts what was not asked for recently; where there is no such entry, everything.
    mutating func forget() {
        if old.isEmpty { age() }
        room.add(-oldSize)
        old = [:]
        oldSize = 0
    }

    private mutating func age() {
        (old, oldSize) = (young, size)
        young = [:]
        size = 0
    }

    private mutating func put(_ key: Key, _ entry: Entry) {
        if entry.size > half { return }
        if let known = young.removeValue(forKey: key) {
            size -= known.size
            room.add(-known.size)
        }
        if size + entry.size > half {
            room.add(-oldSize)
            age()
        }
        if !room.hasRoom(entry.size), oldSize > 0 { forget() }
        guard room.hasRoom(entry.size) else { return }
        young[key] = entry
        size += entry.size
        room.add(entry.size)
    }
}

/// The capacity that all caches for repeated reports share, in bytes: what was set at most, and no
/// more than running reports leave. From any thread.
package final class CacheRoom: Sendable {
    private let used = Atomic<Int>(0)
    private let left = Atomic<Int>(.max)
    /// Actions that evict entries.
    private let forgetters = Mutex<[@Sendable () -> Void]>([])

    /// Without a limit.
    package init() {}

    /// Bytes that are kept now.
    package var bytes: Int { used.load(ordering: .relaxed) }

    /// Limits it to what is left: entries beyond that are evicted.
    package func leave(_ bytes: Int) {
        left.store(bytes, ordering: .relaxed)
        if self.bytes > bytes { forget() }
    }

    /// Whether so many bytes more can be kept.
    func hasRoom(_ bytes: Int) -> Bool {
        self.bytes + bytes <= left.load(ordering: .relaxed)
    }

    /// Counts bytes that are kept; fewer, where the number is negative.
    func add(_ bytes: Int) { used.wrappingAdd(bytes, ordering: .relaxed) }

    /// - Parameter action: evicts what was not asked for recently, or everything where there is no such entry
    func whenShort(_ action: @escaping @Sendable () -> Void) {
        forgetters.withLock { $0.append(action) }
    }

    private func forget() {
        for action in forgetters.withLock({ $0 }) {
            if bytes <= left.load(ordering: .relaxed) { return }
            action()
        }
    }
}
