import Columns
import Synchronization

/// Columns of attributes that were made of late. Of any thread.
final class AttributeCache: Sendable {
    /// Of which events, and of which attribute.
    struct Key: Hashable {
        let segment: SegmentCache.Segment
        /// Row of the name.
        let name: Int64
        let attribute: AttributeKey
    }

    private let state: Mutex<SizedCache<Key, AttributeColumn>>

    /// - Parameters:
    ///   - octets: how many it holds at most
    ///   - room: what it has together with others
    init(octets: Int, room: CacheRoom) { state = Mutex(SizedCache(octets: octets, room: room)) }

    /// Forgets what was not asked for of late; all, where that is none.
    func forget() { state.withLock { $0.forget() } }

    /// A column; nil where it was not made of late.
    func column(_ key: Key) -> AttributeColumn? { state.withLock { $0.value(key) } }

    /// Keeps a column for a while.
    func put(_ column: AttributeColumn, _ key: Key) {
        state.withLock { $0.put(key, column, size: column.size) }
    }
}
