import Synchronization

/// A dictionary that forgets what was not asked for of late, bounded by octets: when the younger half of
/// the room is full, the older half is forgotten, and sooner where others need the room (`CacheRoom`).
/// `GenerationCache` is the like by entries.
struct SizedCache<Key: Hashable, Value> {
    private struct Entry {
        let value: Value
        let size: Int
    }

    private var young: [Key: Entry] = [:]
    private var old: [Key: Entry] = [:]
    /// Octets of the young ones, and of the old ones, about.
    private var size = 0
    private var oldSize = 0
    private let half: Int
    private let room: CacheRoom

    /// What an entry takes besides its octets.
    private static var overhead: Int { 96 }

    /// - Parameters:
    ///   - octets: how many it holds at most
    ///   - room: what it has together with others
    init(octets: Int, room: CacheRoom = CacheRoom()) {
        half = octets / 2
        self.room = room
    }

    /// Nil where it was never put in, or forgotten.
    mutating func value(_ key: Key) -> Value? {
        if let entry = young[key] { return entry.value }
        guard let entry = old.removeValue(forKey: key) else { return nil }
        oldSize -= entry.size
        room.add(-entry.size)
        put(key, entry)
        return entry.value
    }

    /// - Parameter size: octets that the value takes
    mutating func put(_ key: Key, _ value: Value, size: Int) {
        put(key, Entry(value: value, size: size + Self.overhead))
    }

    /// Forgets what was not asked for of late; all, where that is none.
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

/// How much room all that is kept for who asks again has, in octets: what it was given at most, and no
/// more than what computes leaves. Of any thread.
package final class CacheRoom: Sendable {
    private let used = Atomic<Int>(0)
    private let left = Atomic<Int>(.max)
    /// What has told how to forget.
    private let forgetters = Mutex<[@Sendable () -> Void]>([])

    /// As much as there is.
    package init() {}

    /// Octets that are kept now.
    package var octets: Int { used.load(ordering: .relaxed) }

    /// From now on so much is left for it: what is kept beyond that is forgotten.
    package func leave(_ octets: Int) {
        left.store(octets, ordering: .relaxed)
        if self.octets > octets { forget() }
    }

    /// Whether so many octets more can be kept.
    func hasRoom(_ octets: Int) -> Bool {
        self.octets + octets <= left.load(ordering: .relaxed)
    }

    /// So many more are kept; or less, below 0.
    func add(_ octets: Int) { used.wrappingAdd(octets, ordering: .relaxed) }

    /// - Parameter action: forgets what was not asked for of late, and all where that is none
    func whenShort(_ action: @escaping @Sendable () -> Void) {
        forgetters.withLock { $0.append(action) }
    }

    private func forget() {
        for action in forgetters.withLock({ $0 }) {
            if octets <= left.load(ordering: .relaxed) { return }
            action()
        }
    }
}
