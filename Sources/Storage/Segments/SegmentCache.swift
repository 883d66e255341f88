import Columns
import Synchronization

/// Recently read columns of segments, by the segment's row and checksum: a row's number may be
/// used again. From any thread.
package final class SegmentCache: Sendable {
    /// The identity of a segment.
    package struct Segment: Hashable, Sendable {
        let row: Int64
        let checksum: Int64
    }

    private struct Key: Hashable {
        let segment: Segment
        let column: Int32
    }

    private let state: Mutex<SizedCache<Key, [UInt8]>>

    /// - Parameters:
    ///   - bytes: its capacity
    ///   - room: the capacity that it shares with others
    package init(bytes: Int = 128 << 20, room: CacheRoom = CacheRoom()) {
        state = Mutex(SizedCache(bytes: bytes, room: room))
    }

    /// Evicts what was not asked for recently; where there is no such entry, everything.
    func forget() { state.withLock { $0.forget() } }

    /// A column; nil where it is not cached.
    func column(_ column: Int32, of segment: Segment) -> [UInt8]? {
        state.withLock { $0.value(Key(segment: segment, column: column)) }
    }

    /// Caches a column.
    func put(_ bytes: [UInt8], column: Int32, of segment: Segment) {
        state.withLock {
            $0.put(Key(segment: segment, column: column), bytes, size: bytes.count)
        }
    }
}

/// Recently made columns of attributes. From any thread.
final class AttributeCache: Sendable {
    /// The events, and the attribute.
    struct Key: Hashable {
        let segment: SegmentCache.Segment
        /// Row of the name.
        let name: Int64
        let attribute: AttributeKey
    }

    private let state: Mutex<SizedCache<Key, AttributeColumn>>

    /// - Parameters:
    ///   - bytes: its capacity
    ///   - room: the capacity that it shares with others
    init(bytes: Int, room: CacheRoom) { state = Mutex(SizedCache(bytes: bytes, room: room)) }

    /// Evicts what was not asked for recently; where there is no such entry, everything.
    func forget() { state.withLock { $0.forget() } }

    /// A column; nil where it is not cached.
    func column(_ key: Key) -> AttributeColumn? { state.withLock { $0.value(key) } }

    /// Caches a column.
    func put(_ column: AttributeColumn, _ key: Key) {
        state.withLock { $0.put(key, column, size: column.size) }
    }
}

/// Recently read blocks of batches, packed (`BatchScan`). From any thread.
final class BatchCache: Sendable {
    /// An app's batches of one stretch of rows.
    struct Key: Hashable {
        let app: Int64
        let block: Int64
        /// How often rows of the app were deleted: until one is, batches stay as they are.
        let removals: Int64
    }

    private let state: Mutex<SizedCache<Key, [UInt8]>>

    /// - Parameters:
    ///   - bytes: its capacity
    ///   - room: the capacity that it shares with others
    init(bytes: Int, room: CacheRoom) { state = Mutex(SizedCache(bytes: bytes, room: room)) }

    /// Evicts what was not asked for recently; where there is no such entry, everything.
    func forget() { state.withLock { $0.forget() } }

    /// Their bytes; nil where they are not cached.
    func block(_ key: Key) -> [UInt8]? { state.withLock { $0.value(key) } }

    /// Caches them.
    func put(_ bytes: [UInt8], _ key: Key) {
        state.withLock { $0.put(key, bytes, size: bytes.count) }
    }
}
