/// The parts of an app's batches that have events in a stretch of time, from segments and, for what
/// stands in none, from rows; each once, in no order:
///
///     var scan = try SegmentScan(of: app, window, [.times, .names], connection, tails)
///     while try scan.next() { … scan.part.device … scan.part.readTimes() … }
///
/// Who looks at a segment's sessions before its parts goes on with `nextSegment` and `nextPart`.
/// A part of which not all lies in the stretch comes whole.
package struct SegmentScan: ~Copyable {
    /// Where it stands.
    package var part: SegmentReader
    /// Counts the segments: another one, other places of names and subjects.
    package private(set) var segment = 0

    private let window: Range<Int64>
    private let path: String
    private let rows: Statement
    private let contents: Statement
    private let columns: SegmentReader.Columns
    private let cache: SegmentCache
    private var areRowsLeft = true
    private var isInSegment = false
    /// Those that stand in no row; the last one is the current one where `row` is nil.
    private var others: [Segment]
    private var row: SegmentCache.Segment?

    /// - Parameters:
    ///   - app: its row
    ///   - window: milliseconds since 1970-01-01T00:00:00Z
    ///   - columns: what of each part will be read besides its head
    ///   - connection: in a transaction
    ///   - tails: what is known of the rows behind the last segment
    package init(
        of app: Int64, _ window: Range<Int64>, _ columns: SegmentReader.Columns,
        _ connection: Connection, _ tails: SegmentTails
    ) throws(StorageError) {
        // An empty one is one of a single day too: no part of it lies in it.
        let days =
            Segment.day(
                of: window.lowerBound)...Segment.day(
                of: max(window.lowerBound, window.upperBound &- 1))
        let rows = try connection.prepare(Self.select)
        let contents = try connection.prepare(Self.selectColumns)
        try rows.bind(1, app)
        try rows.bind(2, days.lowerBound)
        try rows.bind(3, days.upperBound)
        var others = try tails.tail(of: app, connection).filter { days.contains($0.day) }
        others += try Self.stale(of: app, days, connection)
        // All or none: a value that cannot be copied is never half there.
        part = SegmentReader(columns)
        self.window = window
        path = connection.path
        self.rows = rows
        self.contents = contents
        self.columns = columns
        cache = tails.cache
        self.others = others
    }

    private static let select = """
        SELECT s.id, s.day, s.checksum FROM segment AS s INDEXED BY segment_by_day
        WHERE s.app = ?1 AND s.day >= ?2 AND s.day <= ?3
          AND NOT EXISTS (SELECT 1 FROM stale_day AS d WHERE d.app = ?1 AND d.day = s.day)
        """

    // They stand one behind the other in pages of their own: the later ones are read only where they
    // are asked for.
    private static let selectColumns =
        "SELECT parts, sessions, times, names, subjects FROM segment WHERE id = ?1"

    private static func stale(
        of app: Int64, _ days: ClosedRange<Int64>, _ connection: Connection
    ) throws(StorageError) -> [Segment] {
        var segments: [Segment] = []
        for stale in try StaleDay.all(connection) where stale.app == app && days.contains(stale.day)
        {
            var rows = try SegmentRows(connection)
            var builder = SegmentBuilder()
            _ = try rows.read(
                of: app, day: stale.day, behind: 0,
                upTo: try SegmentTable.lastBatch(of: app, connection), into: &builder)
            segments += builder.build()
        }
        return segments
    }

    /// Goes to the next part. False behind the last one. Throws what the database throws, and `damaged`.
    package mutating func next() throws(StorageError) -> Bool {
        while true {
            if isInSegment, try nextPart() { return true }
            guard try nextSegment() else { return false }
        }
    }

    /// Goes to the next part of the segment. False behind the last one. Throws `damaged`.
    package mutating func nextPart() throws(StorageError) -> Bool {
        while part.next() {
            if part.first < window.upperBound, part.last >= window.lowerBound { return true }
        }
        try check()
        isInSegment = false
        return false
    }

    /// Goes to the next segment, before its first part. False behind the last one. Throws what the
    /// database throws.
    package mutating func nextSegment() throws(StorageError) -> Bool {
        guard try beginNext() else { return false }
        isInSegment = true
        segment += 1
        return true
    }

    /// To be called where a part's events were read and are not asked for again.
    package func check() throws(StorageError) {
        if part.isBroken {
            throw .damaged(path: path, found: "a segment of events is not what was written")
        }
    }

    private mutating func beginNext() throws(StorageError) -> Bool {
        if areRowsLeft {
            if try rows.step() {
                let segment = SegmentCache.Segment(row: rows.int(0), checksum: rows.int(2))
                row = segment
                var isRead = false
                defer { if isRead { contents.reset() } }
                part.begin(day: rows.int(1), parts: try column(0, of: segment, &isRead))
                try load(columns, of: segment, &isRead)
                return true
            }
            rows.reset()
            areRowsLeft = false
        } else if !others.isEmpty {
            others.removeLast()
        }
        row = nil
        guard let next = others.last else { return false }
        part.begin(next)
        return true
    }

    /// Adds columns of the segment on which it stands. Throws what the database throws, and `damaged`.
    package mutating func load(_ columns: SegmentReader.Columns) throws(StorageError) {
        let missing = columns.subtracting(part.columns)
        if missing.isEmpty { return }
        guard let row else {
            if let segment = others.last { part.load(segment, missing) }
            return
        }
        var isRead = false
        defer { if isRead { contents.reset() } }
        try load(missing, of: row, &isRead)
    }

    private mutating func load(
        _ columns: SegmentReader.Columns, of segment: SegmentCache.Segment, _ isRead: inout Bool
    ) throws(StorageError) {
        let all: [(SegmentReader.Columns, Int32)] = [
            (.sessions, 1), (.gaps, 2), (.names, 3), (.subjects, 4),
        ]
        for (column, place) in all where columns.contains(column) {
            part.load(column, try self.column(place, of: segment, &isRead))
        }
    }

    private func column(
        _ column: Int32, of segment: SegmentCache.Segment, _ isRead: inout Bool
    ) throws(StorageError) -> [UInt8] {
        if let known = cache.column(column, of: segment) { return known }
        if !isRead {
            isRead = true
            try contents.bind(1, segment.row)
            guard try contents.step() else {
                throw .damaged(path: path, found: "an index of segments has one that is not there")
            }
        }
        let octets = PackedReader.padded(contents.blob(column))
        cache.put(octets, column: column, of: segment)
        return octets
    }
}
