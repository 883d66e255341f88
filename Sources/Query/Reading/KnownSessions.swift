import Storage
import Synchronization

/// Which sessions of each app's stored segments have another piece in one of these, and which keys they
/// have, as far as reports have read them. Any thread may use it.
final class KnownSessions: Sendable {
    /// What a report has read of the sessions of a segment.
    struct Sessions: Sendable {
        /// A bit for each of them, in their order: whether it may have another piece.
        let recurring: [UInt64]
        /// Their keys; nil where those of all segments would be too many.
        let keys: ShortKeys?

        /// Bytes that they take.
        var allocatedBytes: Int { recurring.allocatedBytes + (keys?.allocatedBytes ?? 0) }
    }

    /// The most sessions of an app whose keys are kept: they take 64 MB.
    static let maxKeys = 1 << 24

    private let all = Mutex<[Int64: Known]>([:])
    private let room: CacheRoom

    /// - Parameter room: the capacity that it shares with others
    init(_ room: CacheRoom) {
        self.room = room
        room.whenShort { [weak self] in self?.forgetKeys() }
        room.whenShort { [weak self] in self?.forgetAll() }
    }

    private func forgetKeys() {
        for known in all.withLock({ $0 }).values { known.forgetKeys() }
    }

    /// Two reads of all segments are not given up for the little that is kept of each, unless that alone is too much.
    private func forgetAll() {
        all.withLock { all in
            if !room.fits(all.values.reduce(0) { $0 + $1.bytes }) { all = [:] }
        }
    }

    /// What is known of an app.
    func known(of app: Int64) -> Known? { all.withLock { $0[app] } }

    /// Keeps what was read in the place of what was known: of the keys nothing, where there is too little room.
    func keep(_ segments: [SegmentCache.Segment: Sessions], of app: Int64) -> Known {
        // Not both at once.
        all.withLock { $0[app] = nil }
        let known = Known(segments, room)
        all.withLock { $0[app] = known }
        // Columns are read again sooner.
        room.makeRoom()
        return known
    }
}
