import Storage
import Synchronization

/// Which sessions of each app's stored segments have another piece in one of these, as far as reports
/// have read them: a bit for each session. Any thread may use it.
final class KnownSessions: Sendable {
    /// What is known of an app.
    final class Known: Sendable {
        /// By segment: a bit for each of its sessions, in their order. Some may be gone meanwhile: then a
        /// bit may be set for what comes no more.
        private let segments: [SegmentCache.Segment: [UInt64]]
        private let bytes: Int
        private let room: CacheRoom

        /// Bytes that a segment takes besides its bits, about.
        private static let segmentBytes = 112

        fileprivate init(_ segments: [SegmentCache.Segment: [UInt64]], _ room: CacheRoom) {
            self.segments = segments
            self.room = room
            bytes = segments.values.reduce(segments.count * Self.segmentBytes) {
                $0 + $1.allocatedBytes
            }
            room.add(bytes)
        }

        deinit { room.add(-bytes) }

        /// The bits of a segment; nil where it was not read.
        func bits(of segment: SegmentCache.Segment) -> [UInt64]? { segments[segment] }

        /// Whether reading all anew is better than looking up what a list has, from which those known are
        /// left out.
        func isOutdated(by list: SegmentList) -> Bool {
            list.count > 16 + segments.count / 32
                || segments.count - list.knownCount > 64 + segments.count / 2
        }
    }

    private let all = Mutex<[Int64: Known]>([:])
    private let room: CacheRoom

    /// - Parameter room: the capacity that it shares with others
    init(_ room: CacheRoom) {
        self.room = room
        room.whenShort { [weak self] in self?.all.withLock { $0 = [:] } }
    }

    /// What is known of an app.
    func known(of app: Int64) -> Known? { all.withLock { $0[app] } }

    /// Keeps what was read in the place of what was known.
    func keep(_ segments: [SegmentCache.Segment: [UInt64]], of app: Int64) -> Known {
        let known = Known(segments, room)
        all.withLock { all in all[app] = room.hasRoom(0) ? known : nil }
        return known
    }
}
