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
