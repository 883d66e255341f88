import Columns
import Synchronization

/// Columns of segments that were read of late, by the segment's row and checksum: a row's number may be
/// used again. Of any thread.
package final class SegmentCache: Sendable {
    /// Which segment.
    struct Segment: Hashable {
        let row: Int64
        let checksum: Int64
    }

    private struct Key: Hashable {
        let segment: Segment
        let column: Int32
    }

    private let state: Mutex<SizedCache<Key, [UInt8]>>

    /// - Parameters:
    ///   - octets: how many it holds at most
    ///   - room: what it has together with others
    package init(octets: Int = 128 << 20, room: CacheRoom = CacheRoom()) {
        state = Mutex(SizedCache(octets: octets, room: room))
    }

    /// Forgets what was not asked for of late; all, where that is none.
    func forget() { state.withLock { $0.forget() } }

    /// A column; nil where it was not read of late.
    func column(_ column: Int32, of segment: Segment) -> [UInt8]? {
        state.withLock { $0.value(Key(segment: segment, column: column)) }
    }

    /// Keeps a column for a while.
    func put(_ octets: [UInt8], column: Int32, of segment: Segment) {
        state.withLock {
            $0.put(Key(segment: segment, column: column), octets, size: octets.count)
        }
    }
}

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

/// What was read of late of many batches at once, packed (`BatchScan`). Of any thread.
final class BatchCache: Sendable {
    /// An app's batches of one stretch of rows.
    struct Key: Hashable {
        let app: Int64
        let block: Int64
        /// How often something of the app was taken away: as long as nothing is taken away, batches stay as they are.
        let removals: Int64
    }

    private let state: Mutex<SizedCache<Key, [UInt8]>>

    /// - Parameters:
    ///   - octets: how many it holds at most
    ///   - room: what it has together with others
    init(octets: Int, room: CacheRoom) { state = Mutex(SizedCache(octets: octets, room: room)) }

    /// Forgets what was not asked for of late; all, where that is none.
    func forget() { state.withLock { $0.forget() } }

    /// Their octets; nil where they were not read of late.
    func block(_ key: Key) -> [UInt8]? { state.withLock { $0.value(key) } }

    /// Keeps octets for a while.
    func put(_ octets: [UInt8], _ key: Key) {
        state.withLock { $0.put(key, octets, size: octets.count) }
    }
}
