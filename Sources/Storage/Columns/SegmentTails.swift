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

    private struct Tail {
        let version: Version
        let segments: [Segment]
        let events: Int64
    }

    /// Events of all tails at most, but for the last one: some megabytes.
    private static let limit = 8 * Int64(Segment.mostEvents)

    private let known = Mutex<[Int64: Tail]>([:])
    /// And what was read of segments.
    let cache: SegmentCache

    /// One that knows nothing yet.
    package init(cache: SegmentCache = SegmentCache()) { self.cache = cache }

    /// The tail of an app as this transaction sees it. Throws what the database throws.
    func tail(of app: Int64, _ connection: Connection) throws(StorageError) -> [Segment] {
        let last = try SegmentTable.lastBatch(of: app, connection)
        let newest = try connection.integers(
            "SELECT coalesce(max(id), 0) FROM batch NOT INDEXED WHERE app = ?1 AND id > ?2",
            app, last)
        let version = Version(
            lastSegmented: last, last: newest.first ?? 0,
            removals: try connection.fact(SegmentTable.tailRemovals) ?? 0)
        if version.last == 0 { return [] }
        let found = known.withLock { $0[app] }
        if let found, found.version == version { return found.segments }
        var rows = try SegmentRows(connection)
        var builder = SegmentBuilder()
        _ = try rows.read(of: app, behind: last, into: &builder)
        let segments = builder.build()
        let tail = Tail(version: version, segments: segments, events: Int64(builder.count))
        known.withLock { known in
            known[app] = tail
            if known.values.reduce(0, { $0 + $1.events }) > Self.limit { known = [app: tail] }
        }
        return segments
    }
}
