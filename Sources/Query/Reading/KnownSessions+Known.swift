import Storage
import Synchronization

extension KnownSessions {
    /// What is known of an app. Any thread may use it.
    final class Known: Sendable {
        /// By segment, a bit for each session. Some segments may be gone meanwhile: then a bit may be set for what
        /// comes no more.
        private let recurring: [SegmentCache.Segment: [UInt64]]
        private let kept: Mutex<Keys?>
        private let room: CacheRoom
        /// Bytes that it takes without keys.
        let bytes: Int
        /// Bytes of the keys that it had first; 0: there are too many to keep.
        private let keyBytes: Int

        /// Bytes that a segment takes besides what its sessions take, about.
        private static let segmentBytes = 128

        init(_ segments: [SegmentCache.Segment: Sessions], _ room: CacheRoom) {
            recurring = segments.mapValues(\.recurring)
            let keys = Keys(segments.compactMapValues(\.keys), room)
            keyBytes = keys?.bytes ?? 0
            kept = Mutex(keys)
            bytes = recurring.values.reduce(recurring.count * Self.segmentBytes) {
                $0 + $1.allocatedBytes
            }
            self.room = room
            room.add(bytes)
        }

        deinit { room.add(-bytes) }

        /// Whether each session of a segment may have another piece, a bit for each; nil where it was not read.
        func recurring(of segment: SegmentCache.Segment) -> [UInt64]? { recurring[segment] }

        /// Whether so much is new that all is to be read again.
        /// - Parameter list: all segments but those that are known
        func isOutdated(by list: SegmentList) -> Bool {
            list.count > 16 + recurring.count / 32
                || recurring.count - list.knownCount > 64 + recurring.count / 2
        }

        /// The keys of sessions; nil where there was no room for them. They take memory as long as somebody has them.
        var keys: Keys? { kept.withLock { $0 } }

        /// Whether keys that were given back could be kept now.
        var hasRoomForKeys: Bool { keyBytes > 0 && room.hasRoom(keyBytes) }

        /// Keeps keys that were read again.
        func keep(_ keys: [SegmentCache.Segment: ShortKeys]) -> Keys? {
            let keys = Keys(keys, room)
            kept.withLock { $0 = keys }
            return keys
        }

        /// Goes on without keys.
        func forgetKeys() { kept.withLock { $0 = nil } }

        /// Whether another piece of some sessions may be in a segment.
        /// - Parameters:
        ///   - keys: its own
        ///   - some: keys of the sessions
        ///   - news: all keys that are in segments that are not known
        func mayHold(
            _ some: ShortKeys.Filter, _ segment: SegmentCache.Segment, _ keys: Keys,
            orNew news: ShortKeys.Filter?
        ) -> Bool {
            guard let bits = recurring[segment], let keys = keys.all[segment]?.all,
                bits.count * 64 >= keys.count
            else { return true }
            for index in keys.indices {
                let isRecurring = bits[index >> 6] >> UInt64(index & 63) & 1 == 1
                // Else nothing known has another piece.
                guard isRecurring || news?.contains(keys[index]) ?? false else { continue }
                if some.contains(keys[index]) { return true }
            }
            return false
        }
    }

    /// The keys of sessions by segment, of all segments that were read or of none.
    final class Keys: Sendable {
        fileprivate let all: [SegmentCache.Segment: ShortKeys]
        fileprivate let bytes: Int
        private let room: CacheRoom

        fileprivate init?(_ all: [SegmentCache.Segment: ShortKeys], _ room: CacheRoom) {
            if all.isEmpty { return nil }
            self.all = all
            self.room = room
            bytes = all.values.reduce(0) { $0 + $1.allocatedBytes }
            room.add(bytes)
        }

        deinit { room.add(-bytes) }
    }
}
