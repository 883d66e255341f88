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

    /// Where a segment is.
    private struct Source {
        let day: Int64
        /// By which others know it; nil where none does.
        let identity: SegmentCache.Segment?
        /// Itself, where it stands in no row.
        let packed: Segment?
    }

    private let window: Range<Int64>
    private let connection: Connection
    private let contents: Statement
    private let columns: SegmentReader.Columns
    private let tails: SegmentTails
    private let sources: [Source]
    private var isInSegment = false
    /// Columns of attributes of segments ahead, by name and by place in `sources`.
    private var ahead: [Int64: [Int: [AttributeColumn]]] = [:]

    /// Events of a name for which columns are made at once: they take some 30 octets each meanwhile.
    private static let eventsAtOnce = 1 << 19

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
        let contents = try connection.prepare(Self.selectColumns)
        var sources = try Self.stored(of: app, days, connection)
        for packed in try tails.tail(of: app, connection) where days.contains(packed.segment.day) {
            sources.append(
                Source(
                    day: packed.segment.day, identity: packed.identity, packed: packed.segment))
        }
        sources += try Self.stale(of: app, days, connection)
        // All or none: a value that cannot be copied is never half there.
        part = SegmentReader(columns)
        self.window = window
        self.connection = connection
        self.contents = contents
        self.columns = columns
        self.tails = tails
        self.sources = sources
    }

    private static func stored(
        of app: Int64, _ days: ClosedRange<Int64>, _ connection: Connection
    ) throws(StorageError) -> [Source] {
        let rows = try connection.prepare(
            """
            SELECT s.id, s.day, s.checksum FROM segment AS s INDEXED BY segment_by_day
            WHERE s.app = ?1 AND s.day >= ?2 AND s.day <= ?3
              AND NOT EXISTS (SELECT 1 FROM stale_day AS d WHERE d.app = ?1 AND d.day = s.day)
            """)
        try rows.bind(1, app)
        try rows.bind(2, days.lowerBound)
        try rows.bind(3, days.upperBound)
        var sources: [Source] = []
        while try rows.step() {
            let identity = SegmentCache.Segment(row: rows.int(0), checksum: rows.int(2))
            sources.append(Source(day: rows.int(1), identity: identity, packed: nil))
        }
        return sources
    }

    // They stand one behind the other in pages of their own: the later ones are read only where they
    // are asked for.
    private static let selectColumns =
        "SELECT parts, sessions, times, names, subjects FROM segment WHERE id = ?1"

    private static func stale(
        of app: Int64, _ days: ClosedRange<Int64>, _ connection: Connection
    ) throws(StorageError) -> [Source] {
        var sources: [Source] = []
        for stale in try StaleDay.all(connection) where stale.app == app && days.contains(stale.day)
        {
            var rows = try SegmentRows(connection)
            var builder = SegmentBuilder()
            _ = try rows.read(
                of: app, day: stale.day, behind: 0,
                upTo: try SegmentTable.lastBatch(of: app, connection), into: &builder)
            sources += builder.build().map { Source(day: $0.day, identity: nil, packed: $0) }
        }
        return sources
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
        if segment == sources.count { return false }
        part.begin(try read(sources[segment], columns))
        isInSegment = true
        segment += 1
        return true
    }

    /// To be called where a part's events were read and are not asked for again.
    package func check() throws(StorageError) {
        if part.isBroken { throw damage }
    }

    /// What says that a segment is not what was written.
    package var damage: StorageError {
        .damaged(path: connection.path, found: "a segment of events is not what was written")
    }

    /// Of the events of a name in the segment on which the scan stands, what they have for some
    /// attributes: from memory, or else from their rows. Throws what the database throws, and
    /// `damaged`.
    /// - Parameters:
    ///   - keys: the same each time
    ///   - name: its row
    package mutating func attributes(
        _ keys: [AttributeKey], ofName name: Int64
    ) throws(StorageError) -> [AttributeColumn] {
        let place = segment - 1
        if let found = ahead[name]?.removeValue(forKey: place) { return found }
        if let known = known(keys, name, place) { return known }
        // Of later segments too: their batches are the same in part.
        var rows = try AttributeRows(keys, ofName: name, connection)
        var places: [Int] = []
        for place in place..<sources.count {
            if place > segment - 1, known(keys, name, place) != nil { continue }
            try rows.add(try read(sources[place], [.times, .names]))
            places.append(place)
            if rows.count >= Self.eventsAtOnce { break }
        }
        var made: [Int: [AttributeColumn]] = [:]
        for (place, columns) in zip(places, try rows.columns()) {
            made[place] = columns
            guard let identity = sources[place].identity else { continue }
            for (key, column) in zip(keys, columns) {
                tails.attributes.put(
                    column, AttributeCache.Key(segment: identity, name: name, attribute: key))
            }
        }
        let found = made.removeValue(forKey: place) ?? []
        ahead[name] = made
        return found
    }

    private func known(
        _ keys: [AttributeKey], _ name: Int64, _ place: Int
    ) -> [AttributeColumn]? {
        guard let identity = sources[place].identity else { return nil }
        var columns: [AttributeColumn] = []
        for key in keys {
            let key = AttributeCache.Key(segment: identity, name: name, attribute: key)
            guard let column = tails.attributes.column(key) else { return nil }
            columns.append(column)
        }
        return columns
    }

    /// Columns of a segment. Throws what the database throws, and `damaged`.
    private func read(
        _ source: Source, _ columns: SegmentReader.Columns
    ) throws(StorageError) -> SegmentReader.Packed {
        if let packed = source.packed {
            return SegmentReader.Packed(packed, columns)
        }
        var isRead = false
        defer { if isRead { contents.reset() } }
        guard let identity = source.identity else { throw damage }
        var packed = SegmentReader.Packed(
            day: source.day, parts: try column(0, of: identity, &isRead))
        for (column, place) in Self.places where columns.contains(column) {
            packed.columns.append((column, try self.column(place, of: identity, &isRead)))
        }
        return packed
    }

    /// Adds columns of the segment on which it stands. Throws what the database throws, and `damaged`.
    package mutating func load(_ columns: SegmentReader.Columns) throws(StorageError) {
        let missing = columns.subtracting(part.columns)
        if missing.isEmpty { return }
        for (column, octets) in try read(sources[segment - 1], missing).columns {
            part.load(column, octets)
        }
    }

    /// Where they stand in `selectColumns`.
    private static let places: [(SegmentReader.Columns, Int32)] = [
        (.sessions, 1), (.gaps, 2), (.names, 3), (.subjects, 4),
    ]

    private func column(
        _ column: Int32, of segment: SegmentCache.Segment, _ isRead: inout Bool
    ) throws(StorageError) -> [UInt8] {
        if let known = tails.cache.column(column, of: segment) { return known }
        if !isRead {
            isRead = true
            try contents.bind(1, segment.row)
            guard try contents.step() else {
                throw .damaged(
                    path: connection.path, found: "an index of segments has one that is not there")
            }
        }
        let octets = PackedReader.padded(contents.blob(column))
        tails.cache.put(octets, column: column, of: segment)
        return octets
    }
}
