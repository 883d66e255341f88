import Columns
import Database
import Synchronization

/// Events behind the last segment of each app, packed as segments: so that who asks again need not read
/// their rows again. Of any thread.
package final class SegmentTails: Sendable {
    /// What a tail was made of: as long as this is the same, so is it.
    private struct Version: Hashable {
        let lastSegmented: Int64
        let last: Int64
        let removals: Int64
    }

    /// A segment that stands in no row.
    struct Packed {
        let segment: Segment
        /// By which what is made of it can be kept; nil where it is not kept itself.
        let identity: SegmentCache.Segment?
    }

    private struct Tail {
        let version: Version
        let segments: [Packed]
        let octets: Int
    }

    private struct State {
        var tails: [Int64: Tail] = [:]
        /// How many tails have been made.
        var made: Int64 = 0

        var octets: Int { tails.values.reduce(0) { $0 + $1.octets } }
    }

    /// Octets of all tails at most, but for the last one.
    private static let limit = 16 << 20

    private let state = Mutex(State())
    /// And what was read of segments.
    let cache: SegmentCache
    /// And of attributes.
    let attributes: AttributeCache
    /// And of batches.
    let batches: BatchCache

    /// How much of that is kept.
    package let room = CacheRoom()

    /// One that knows nothing yet.
    /// - Parameters:
    ///   - segments: how many octets of columns of segments it holds at most
    ///   - attributes: and of columns of attributes
    ///   - batches: and of packed batches
    package init(
        segments: Int = 128 << 20, attributes: Int = 64 << 20, batches: Int = 32 << 20
    ) {
        cache = SegmentCache(octets: segments, room: room)
        self.attributes = AttributeCache(octets: attributes, room: room)
        self.batches = BatchCache(octets: batches, room: room)
        // What takes longest to make again goes last.
        room.whenShort { [cache] in cache.forget() }
        room.whenShort { [batches = self.batches] in batches.forget() }
        room.whenShort { [attributes = self.attributes] in attributes.forget() }
        room.whenShort { [weak self] in self?.forgetTails() }
    }

    private func forgetTails() {
        state.withLock { state in
            room.add(-state.octets)
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
        _ = try rows.read(of: app, behind: last, into: &builder)
        let built = builder.build()
        return state.withLock { state in
            state.made += 1
            // Rows of segments are above 0.
            let row = -state.made
            let segments = built.enumerated().map { place, segment in
                Packed(
                    segment: segment,
                    identity: SegmentCache.Segment(row: row, checksum: Int64(place)))
            }
            let before = state.octets
            state.tails[app] = Tail(
                version: version, segments: segments,
                octets: built.reduce(0) { $0 + $1.octets })
            if state.octets > Self.limit { state.tails = state.tails.filter { $0.key == app } }
            room.add(state.octets - before)
            return segments
        }
    }
}
