import Storage
import Synchronization

/// Which sessions of each app's stored segments have another piece in one of these, and which keys they
/// have, as far as reports have read them. Any thread may use it.
final class KnownSessions: Sendable {
    /// What is known of the sessions of a segment.
    struct Sessions: Sendable {
        /// A bit for each of them, in their order: whether it may have another piece.
        let recurring: [UInt64]
        /// Their keys; nil where those of all segments would be too many.
        let keys: ShortKeys?

        /// Bytes that they take.
        var allocatedBytes: Int { recurring.allocatedBytes + (keys?.allocatedBytes ?? 0) }

        /// Whether another piece of some sessions may be among them.
        /// - Parameters:
        ///   - some: keys of the sessions
        ///   - news: all keys that are in segments that are not known
        func contains(anyOf some: ShortKeys.Filter, orNew news: ShortKeys.Filter?) -> Bool {
            guard let keys = keys?.all, recurring.count * 64 >= keys.count else { return true }
            for index in keys.indices {
                let isRecurring = recurring[index >> 6] >> UInt64(index & 63) & 1 == 1
                // Else nothing known has another piece.
                guard isRecurring || news?.contains(keys[index]) ?? false else { continue }
                if some.contains(keys[index]) { return true }
            }
            return false
        }
    }

    /// What is known of an app.
    final class Known: Sendable {
        /// By segment. Some may be gone meanwhile: then a bit may be set for what comes no more.
        private let segments: [SegmentCache.Segment: Sessions]
        private let bytes: Int
        private let room: CacheRoom

        /// Bytes that a segment takes besides what its sessions take, about.
        private static let segmentBytes = 128

        fileprivate init(_ segments: [SegmentCache.Segment: Sessions], _ room: CacheRoom) {
            self.segments = segments
            self.room = room
            bytes = segments.values.reduce(segments.count * Self.segmentBytes) {
                $0 + $1.allocatedBytes
            }
            room.add(bytes)
        }

        deinit { room.add(-bytes) }

        /// The sessions of a segment; nil where it was not read.
        func sessions(of segment: SegmentCache.Segment) -> Sessions? { segments[segment] }

        /// Whether reading all anew is better than looking up what a list has, from which those known are
        /// left out.
        func isOutdated(by list: SegmentList) -> Bool {
            list.count > 16 + segments.count / 32
                || segments.count - list.knownCount > 64 + segments.count / 2
        }
    }

    /// The most sessions of an app whose keys are kept: they take 64 MB.
    static let maxKeys = 1 << 24

    private let all = Mutex<[Int64: Known]>([:])
    private let room: CacheRoom

    /// - Parameter room: the capacity that it shares with others
    init(_ room: CacheRoom) {
        self.room = room
        room.whenShort { [weak self] in self?.all.withLock { $0 = [:] } }
    }

    /// What is known of an app.
    func known(of app: Int64) -> Known? { all.withLock { $0[app] } }

    /// Keeps what was read in the place of what was known: of the keys nothing, where there is too little room.
    func keep(_ segments: [SegmentCache.Segment: Sessions], of app: Int64) -> Known {
        // Not both at once.
        all.withLock { $0[app] = nil }
        var known = Known(segments, room)
        // Columns are read again sooner.
        room.makeRoom()
        if !room.hasRoom(0) {
            known = Known(
                segments.mapValues { Sessions(recurring: $0.recurring, keys: nil) }, room)
        }
        all.withLock { all in all[app] = room.hasRoom(0) ? known : nil }
        return known
    }
}
