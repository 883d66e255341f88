import Columns
import Database
import Storage

/// Tells which sessions of an app may have more than one piece in segments: most have one, and it
/// recognises nearly all of these. What it finds out is kept for later reports, which read the keys of
/// segments that are new and no others (docs/decisions/0059-what-a-year-asks-for.md).
struct RecurringSessions: Sendable {
    private let known: KnownSessions.Known
    /// Keys of segments that are not known; nil without any.
    private let news: KeyFilter?

    /// Reads the sessions of an app that are not known yet. Throws what the database throws.
    init(of app: Int64, _ reading: Reading) throws(StorageError) {
        let cache = reading.environment.sessions
        if let known = cache.known(of: app) {
            let list = try reading.segmentList(of: app, EventList.always) {
                known.bits(of: $0) != nil
            }
            if !known.isOutdated(by: list) {
                self.known = known
                news = try Self.keys(list, reading)
                return
            }
        }
        known = cache.keep(try Self.read(app, reading), of: app)
        news = nil
    }

    private static func keys(
        _ list: SegmentList, _ reading: Reading
    ) throws(StorageError) -> KeyFilter? {
        if list.count == 0 { return nil }
        let found = try reading.inParallel { () throws(StorageError) in
            var found = Concatenated<UInt64>(reading.account)
            var scan = SegmentScan(list, .sessions)
            while try scan.nextSegment() {
                for key in scan.part.sessions { found.append(key) }
            }
            return found
        }.all
        var keys = KeyFilter(for: found.count, reading.account)
        for key in found { keys.insert(key) }
        return keys
    }

    /// Counts all keys, then says of each session of a stored segment whether its key came again.
    private static func read(
        _ app: Int64, _ reading: Reading
    ) throws(StorageError) -> [SegmentCache.Segment: [UInt64]] {
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
                for key in scan.part.sessions { counts.add(key) }
            }
            return counts
        }
        let list = try reading.segmentList(of: app, EventList.always)
        return try reading.inParallel { () throws(StorageError) in
            var found = Found(held: HeldBytes(reading.account))
            var scan = SegmentScan(list, .sessions)
            while try scan.nextSegment() {
                guard let segment = scan.identity else { continue }
                found.add(counts, scan.part.sessions, of: segment)
            }
            return found
        }.segments
    }

    private struct Found: ReportShare {
        private(set) var segments: [SegmentCache.Segment: [UInt64]] = [:]
        private var held: HeldBytes

        init(held: HeldBytes) { self.held = held }

        mutating func add(
            _ counts: KeyCounts, _ keys: [UInt64], of segment: SegmentCache.Segment
        ) {
            var bits = [UInt64](repeating: 0, count: (keys.count + 63) / 64)
            // Each lookup reads another part of memory, and none waits for the one before.
            for index in keys.indices where counts.isRepeated(keys[index]) {
                bits[index >> 6] |= 1 << UInt64(index & 63)
            }
            held.add(bits.allocatedBytes)
            segments[segment] = bits
        }

        mutating func merge(_ other: Found) {
            segments.merge(other.segments) { mine, _ in mine }
        }
    }

    /// Marks those sessions of a scan's segment that may have other pieces.
    func mark(_ scan: borrowing SegmentScan, _ marks: inout SessionMarks) {
        let keys = scan.part.sessions
        guard let segment = scan.identity, let bits = known.bits(of: segment),
            bits.count * 64 >= keys.count
        else {
            // It is new, so nobody knows.
            return marks.setAll(keys.count)
        }
        marks.set(bits)
        if let news { marks.insert(keys) { news.contains($0) } }
    }
}
