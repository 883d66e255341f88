import Synchronization

/// A dictionary that evicts what was not asked for recently, bounded by bytes; and sooner where others need
/// memory (`CacheRoom`). Entries stand in generations, by when they were asked for last; only the oldest one makes
/// room, entry by entry in no order. So a report that goes through a little more than fits finds a part of it
/// again, where the order of use would have evicted each entry just before it is asked for.
/// `GenerationCache` is simpler, and bounded by entries.
package struct SizedCache<Key: Hashable, Value> {
    private struct Entry {
        let value: Value
        let size: Int
    }

    private struct Generation {
        var entries: [Key: Entry] = [:]
        /// Bytes of these, about.
        var size = 0

        mutating func remove(_ key: Key) -> Entry? {
            guard let entry = entries.removeValue(forKey: key) else { return nil }
            size -= entry.size
            return entry
        }

        mutating func removeAny() -> Entry? {
            if entries.isEmpty { return nil }
            let entry = entries.remove(at: entries.startIndex).value
            size -= entry.size
            return entry
        }
    }

    /// The oldest first; one at least.
    private var generations = [Generation()]
    private let capacity: Int
    private let room: CacheRoom

    /// What an entry takes besides its bytes.
    private static var overhead: Int { 96 }
    /// Each look goes through all generations.
    private static var maxGenerations: Int { 8 }

    /// - Parameters:
    ///   - bytes: its capacity
    ///   - room: the capacity that it shares with others
    package init(bytes: Int, room: CacheRoom = CacheRoom()) {
        capacity = bytes
        self.room = room
    }

    /// Nil where it was never put in, or was evicted.
    package mutating func value(_ key: Key) -> Value? {
        if let entry = generations[generations.count - 1].entries[key] { return entry.value }
        guard let entry = remove(key) else { return nil }
        put(key, entry)
        return entry.value
    }

    /// - Parameter size: bytes that the value takes
    package mutating func put(_ key: Key, _ value: Value, size: Int) {
        put(key, Entry(value: value, size: size + Self.overhead))
    }

    /// Evicts all but the newest generation; where there is none older, everything.
    package mutating func forget() {
        let kept = generations.count > 1 ? generations.removeLast() : Generation()
        for generation in generations { room.add(-generation.size) }
        generations = [kept]
    }

    /// Evicts everything.
    package mutating func removeAll() {
        for generation in generations { room.add(-generation.size) }
        generations = [Generation()]
    }

    private mutating func remove(_ key: Key) -> Entry? {
        for index in generations.indices.reversed() {
            if let entry = generations[index].remove(key) {
                room.add(-entry.size)
                return entry
            }
        }
        return nil
    }

    private mutating func put(_ key: Key, _ entry: Entry) {
        // One alone is not worth all others.
        if entry.size > capacity / 2 { return }
        _ = remove(key)
        if generations[generations.count - 1].size + entry.size > capacity / 4 { age() }
        while generations.reduce(entry.size, { $0 + $1.size }) > capacity { evict() }
        if !room.hasRoom(entry.size), generations.count > 1 { forget() }
        guard room.hasRoom(entry.size) else { return }
        generations[generations.count - 1].entries[key] = entry
        generations[generations.count - 1].size += entry.size
        room.add(entry.size)
    }

    /// Begins a generation.
    private mutating func age() {
        generations.removeAll { $0.entries.isEmpty }
        if generations.count == Self.maxGenerations {
            let oldest = generations.removeFirst()
            generations[0].entries.merge(oldest.entries) { newer, _ in newer }
            generations[0].size += oldest.size
        }
        generations.append(Generation())
    }

    /// Evicts an entry of the oldest generation that has one.
    private mutating func evict() {
        for index in generations.indices {
            if let entry = generations[index].removeAny() { return room.add(-entry.size) }
        }
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
    package func hasRoom(_ bytes: Int) -> Bool {
        self.bytes + bytes <= left.load(ordering: .relaxed)
    }

    /// Whether so many bytes can be kept if nothing else is.
    package func fits(_ bytes: Int) -> Bool { bytes <= left.load(ordering: .relaxed) }

    /// Evicts entries where more is kept than there is room for.
    package func makeRoom() { if !hasRoom(0) { forget() } }

    /// Counts bytes that are kept; fewer, where the number is negative.
    package func add(_ bytes: Int) { used.wrappingAdd(bytes, ordering: .relaxed) }

    /// - Parameter action: evicts what was not asked for recently, or everything where there is no such entry
    package func whenShort(_ action: @escaping @Sendable () -> Void) {
        forgetters.withLock { $0.append(action) }
    }

    private func forget() {
        for action in forgetters.withLock({ $0 }) {
            if bytes <= left.load(ordering: .relaxed) { return }
            action()
        }
    }
}
