import Columns
import Database
import Storage

/// Tells which sessions of an app may have more than one piece in segments: most have one, and it
/// recognises nearly all of these. And it tells in which segments the other pieces may be. What it finds
/// out is kept for later reports, which read the keys of segments that are new and no others
/// (docs/decisions/0059-what-a-year-asks-for.md).
struct RecurringSessions: Sendable {
    /// Keys of segments that are not known.
    private struct News: Sendable {
        var keys: KeyFilter
        var short: ShortKeys.Filter

        init(_ found: [UInt64], _ account: ReportAccount) {
            keys = KeyFilter(for: found.count, account)
            short = ShortKeys.Filter(for: found.count, account)
            for key in found {
                keys.insert(key)
                short.insert(key)
            }
        }
    }

    private let app: Int64
    private let known: KnownSessions.Known
    /// Nil without any.
    private let news: News?

    /// How many segments a thread looks at, one after the other.
    private static let stride = 64
    /// So many keys of pieces go into a filter while a segment's keys are read.
    private static let piecesPerSegment = 1024

    /// Reads the sessions of an app that are not known yet. Throws what the database throws.
    /// - Parameter maxKeys: the most sessions whose keys are kept
    init(
        of app: Int64, maxKeys: Int = KnownSessions.maxKeys, _ reading: Reading
    ) throws(StorageError) {
        self.app = app
        let cache = reading.environment.sessions
        if let known = cache.known(of: app) {
            let list = try reading.segmentList(of: app, EventList.always) {
                known.recurring(of: $0) != nil
            }
            if !known.isOutdated(by: list) {
                self.known = known
                news = try Self.news(list, reading)
                return
            }
        }
        known = cache.keep(try Self.read(app, maxKeys, reading), of: app)
        news = nil
    }

    private static func news(_ list: SegmentList, _ reading: Reading) throws(StorageError) -> News?
    {
        if list.count == 0 { return nil }
        let found = try reading.inParallel { () throws(StorageError) in
            var found = Concatenated<UInt64>(reading.account)
            var scan = SegmentScan(list, .sessions)
            while try scan.nextSegment() {
                try scan.check()
                for key in scan.part.sessions { found.append(key) }
            }
            return found
        }.all
        return News(found, reading.account)
    }

    /// Counts all keys, then says of each session of a stored segment whether its key came again.
    private static func read(
        _ app: Int64, _ maxKeys: Int, _ reading: Reading
    ) throws(StorageError) -> [SegmentCache.Segment: KnownSessions.Sessions] {
        // As many hashes as events: a session has about ten events.
        let statement = try reading.prepare(
            "SELECT coalesce(sum(events), 0) FROM segment WHERE app = ?1")
        try statement.bind(1, app)
        let bits = KeyCounts.bits(for: try statement.step() ? statement.int(0) : 0)
        let all = try reading.segmentList(of: app, EventList.always)
        let counts = try reading.inParallel { () throws(StorageError) in
            var counts = KeyCounts(bits: bits, reading.account)
            var scan = SegmentScan(all, .sessions)
            while try scan.nextSegment() {
                // A damaged one would be remembered as one without sessions.
                try scan.check()
                for key in scan.part.sessions { counts.add(key) }
            }
            return counts
        }
        let list = try reading.segmentList(of: app, EventList.always)
        let hasKeys = counts.count <= maxKeys
        return try reading.inParallel { () throws(StorageError) in
            var found = BySegment<KnownSessions.Sessions>(reading.account)
            var scan = SegmentScan(list, .sessions)
            while try scan.nextSegment() {
                guard let segment = scan.identity else { continue }
                let sessions = sessions(scan.part.sessions, counts, hasKeys: hasKeys)
                found.add(sessions, of: segment, bytes: sessions.allocatedBytes)
            }
            return found
        }.all
    }

    /// What threads have made of each segment's sessions.
    private struct BySegment<Value: Sendable>: ReportShare {
        private(set) var all: [SegmentCache.Segment: Value] = [:]
        private var bytes = 0
        private var held: HeldBytes

        init(_ account: ReportAccount) { held = HeldBytes(account) }

        /// - Parameter bytes: that the value takes
        mutating func add(_ value: Value, of segment: SegmentCache.Segment, bytes: Int) {
            all[segment] = value
            self.bytes += bytes
            held.add(bytes)
        }

        mutating func merge(_ other: BySegment) {
            all.merge(other.all) { mine, _ in mine }
            bytes += other.bytes
            held.add(other.bytes)
        }
    }

    /// Says of each of a segment's sessions whether its key came again.
    private static func sessions(
        _ keys: [UInt64], _ counts: KeyCounts, hasKeys: Bool
    ) -> KnownSessions.Sessions {
        var bits = [UInt64](repeating: 0, count: (keys.count + 63) / 64)
        // Each lookup reads another part of memory, and none waits for the one before.
        for index in keys.indices where counts.isRepeated(keys[index]) {
            bits[index >> 6] |= 1 << UInt64(index & 63)
        }
        return KnownSessions.Sessions(recurring: bits, keys: hasKeys ? ShortKeys(keys) : nil)
    }

    /// Marks those sessions of a scan's segment that may have other pieces.
    func mark(_ scan: borrowing SegmentScan, _ marks: inout SessionMarks) {
        let keys = scan.part.sessions
        guard let segment = scan.identity,
            let bits = known.recurring(of: segment), bits.count * 64 >= keys.count
        else {
            // It is new, so nobody knows.
            return marks.setAll(keys.count)
        }
        marks.set(bits)
        if let news { marks.insert(keys) { news.keys.contains($0) } }
    }

    /// The segments of a stretch of time in which other pieces of sessions may be. Throws what the database
    /// throws.
    func segments(
        within stretch: Range<Int64>, with pieces: SessionPieces, _ reading: Reading
    ) throws(StorageError) -> SegmentList {
        let all = try reading.storedSegments(of: app, stretch)
        // With many pieces, and few segments elsewhere, these are read sooner.
        guard all.count * Self.piecesPerSegment >= pieces.count,
            let ofSegments = try keptKeys(reading)
        else { return try reading.segmentList(of: app, stretch) }
        let keys = pieces.shortKeys(reading.account)
        let unrelated = try reading.inParallel(
            (all.count + Self.stride - 1) / Self.stride, Unrelated()
        ) { (unrelated, index) throws(StorageError) in
            for segment in all.dropFirst(index * Self.stride).prefix(Self.stride) {
                if !known.mayHold(keys, segment, ofSegments, orNew: news?.short) {
                    unrelated.segments.insert(segment)
                }
            }
        }
        return try reading.segmentList(of: app, stretch) { unrelated.segments.contains($0) }
    }

    /// The keys of sessions. Those that were given back are read again where there is room for them, or each question
    /// would read as much.
    private func keptKeys(_ reading: Reading) throws(StorageError) -> KnownSessions.Keys? {
        if let keys = known.keys { return keys }
        guard known.hasRoomForKeys else { return nil }
        let list = try reading.segmentList(of: app, EventList.always) {
            known.recurring(of: $0) == nil
        }
        return known.keep(
            try reading.inParallel { () throws(StorageError) in
                var read = BySegment<ShortKeys>(reading.account)
                var scan = SegmentScan(list, .sessions)
                while try scan.nextSegment() {
                    try scan.check()
                    guard let segment = scan.identity, known.recurring(of: segment) != nil else {
                        continue
                    }
                    let keys = ShortKeys(scan.part.sessions)
                    read.add(keys, of: segment, bytes: keys.allocatedBytes)
                }
                return read
            }.all)
    }

    /// Segments in which none of the pieces is.
    private struct Unrelated: ReportShare {
        var segments: Set<SegmentCache.Segment> = []

        mutating func merge(_ other: Unrelated) { segments.formUnion(other.segments) }
    }
}
