import Columns
import Database
import Synchronization

/// Events after the last segment of each app, packed as segments: so that the next report need not read
/// their rows again. From any thread.
package final class SegmentTails: Sendable {
    /// What a tail was made of: as long as this is the same, so is it.
    private struct Version: Hashable {
        let lastSegmented: Int64
        let last: Int64
        let removals: Int64
    }

    /// A segment that is in no row.
    struct Packed {
        let segment: Segment
        /// Its identity in caches; nil where it is not cached itself.
        let identity: SegmentCache.Segment?
    }

    private struct Tail {
        let version: Version
        let segments: [Packed]
        let bytes: Int
    }

    private struct State {
        var tails: [Int64: Tail] = [:]
        /// How many tails have been made.
        var made: Int64 = 0

        var bytes: Int { tails.values.reduce(0) { $0 + $1.bytes } }
    }

    /// Maximum size of all tails but the last one, in bytes.
    private static let limit = 16 << 20

    private let state = Mutex(State())
    /// Cached columns of segments.
    let cache: SegmentCache
    /// Cached columns of attributes.
    let attributes: AttributeCache
    /// Cached batches.
    let batches: BatchCache

    /// Hints what is about to be read.
    package let ahead = ReadAhead()

    /// The capacity that all caches share.
    package let room = CacheRoom()

    /// Empty caches.
    /// - Parameters:
    ///   - segments: capacity for columns of segments, in bytes
    ///   - attributes: and of columns of attributes
    ///   - batches: and of packed batches
    package init(
        segments: Int = 128 << 20, attributes: Int = 64 << 20, batches: Int = 32 << 20
    ) {
        cache = SegmentCache(bytes: segments, room: room)
        self.attributes = AttributeCache(bytes: attributes, room: room)
        self.batches = BatchCache(bytes: batches, room: room)
        // What takes longest to make again is evicted last.
        room.whenShort { [cache] in cache.forget() }
        room.whenShort { [batches = self.batches] in batches.forget() }
        room.whenShort { [attributes = self.attributes] in attributes.forget() }
        room.whenShort { [weak self] in self?.forgetTails() }
    }

    private func forgetTails() {
        state.withLock { state in
            room.add(-state.bytes)
            state.tails = [:]
        }
    }

    /// The tail of an app as this transaction sees it. Throws what the database throws.
    func tail(of app: Int64, _ connection: Connection) throws(StorageError) -> [Packed] {
        let last = try SegmentTable.lastBatch(of: app, connection)
        let newest = try connection.integers(
            "SELECT coalesce(max(id), 0) FROM batch INDEXED BY batch_by_app WHERE app = ?1 AND id > ?2",
            app, last)
        let version = Version(
            lastSegmented: last, last: newest.first ?? 0,
            removals: try connection.fact(SegmentTable.tailRemovals) ?? 0)
        if version.last == 0 { return [] }
        let found = state.withLock { $0.tails[app] }
        if let found, found.version == version { return found.segments }
        var rows = try SegmentRows(connection)
        var builder = SegmentBuilder()
        _ = try rows.read(of: app, after: last, into: &builder)
        let built = builder.build()
        return state.withLock { state in
            state.made += 1
            // Rows of segments are above 0.
            let row = -state.made
            let segments = built.enumerated().map { index, segment in
                Packed(
                    segment: segment,
                    identity: SegmentCache.Segment(row: row, checksum: Int64(index)))
            }
            let before = state.bytes
            state.tails[app] = Tail(
                version: version, segments: segments,
                bytes: built.reduce(0) { $0 + $1.bytes })
            if state.bytes > Self.limit { state.tails = state.tails.filter { $0.key == app } }
            room.add(state.bytes - before)
            return segments
        }
    }
}
