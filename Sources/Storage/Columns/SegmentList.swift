import Synchronization

/// The segments of an app with events in a stretch of time, and for what stands in none, rows packed as
/// such; each once, in no order. Any number of threads go through them at once, each with a `SegmentScan`
/// of its own: each segment is one's alone. What they ask of the database they ask in turn.
package final class SegmentList: Sendable {
    /// Where a segment is.
    private struct Source {
        let day: Int64
        /// By which others know it; nil where none does.
        let identity: SegmentCache.Segment?
        /// Itself, where it stands in no row.
        let packed: Segment?
    }

    /// The connection, of which one thread at a time may ask.
    private struct File: ~Copyable {
        let connection: Connection
        let contents: Statement
        /// Columns of attributes of segments that nobody has asked for yet, by name and by place.
        var ahead: [Int64: [Int: [AttributeColumn]]] = [:]
    }

    /// What a thread does before each segment: it may rest, or end the scan by throwing. It is told how
    /// many nanoseconds it has worked since.
    package typealias Pause = @Sendable (_ worked: UInt64) throws(StorageError) -> Void

    /// Milliseconds since 1970-01-01T00:00:00Z.
    let window: Range<Int64>
    let pause: Pause
    private let sources: [Source]
    private let taken = Atomic(0)
    private let tails: SegmentTails
    private let path: String
    private let file: Mutex<File>

    /// Events of a name for which columns are made at once: they take some 30 octets each meanwhile.
    private static let eventsAtOnce = 1 << 19

    /// - Parameters:
    ///   - app: its row
    ///   - window: milliseconds since 1970-01-01T00:00:00Z
    ///   - connection: in a transaction; nobody else uses it while the list is gone through
    ///   - tails: what is known of the rows behind the last segment
    ///   - pause: what each thread does before each segment
    package convenience init(
        of app: Int64, _ window: Range<Int64>, _ connection: Connection, _ tails: SegmentTails,
        pause: @escaping Pause = { _ in }
    ) throws(StorageError) {
        let days = Segment.days(of: window)
        var sources = try Self.stored(of: app, days, connection)
        for packed in try tails.tail(of: app, connection) where days.contains(packed.segment.day) {
            sources.append(
                Source(
                    day: packed.segment.day, identity: packed.identity, packed: packed.segment))
        }
        sources += try Self.stale(of: app, days, connection)
        try self.init(sources, window, connection, tails, pause)
    }

    /// Those in rows of `segment`, of days that are not stale: what is in none of these is left out.
    convenience init(
        storedOf app: Int64, _ window: Range<Int64>, _ connection: Connection, _ tails: SegmentTails
    ) throws(StorageError) {
        let stored = try Self.stored(of: app, Segment.days(of: window), connection)
        try self.init(stored, window, connection, tails) { _ in }
    }

    private init(
        _ sources: [Source], _ window: Range<Int64>, _ connection: Connection,
        _ tails: SegmentTails,
        _ pause: @escaping Pause
    ) throws(StorageError) {
        self.window = window
        self.sources = sources
        self.tails = tails
        self.pause = pause
        path = connection.path
        file = Mutex(
            File(connection: connection, contents: try connection.prepare(Self.selectColumns)))
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

    /// The place of a segment that nobody has taken yet; nil where there is none left.
    func take() -> Int? {
        let place = taken.wrappingAdd(1, ordering: .relaxed).oldValue
        return place < sources.count ? place : nil
    }

    /// What says that a segment is not what was written.
    var damage: StorageError {
        .damaged(path: path, found: "a segment of events is not what was written")
    }

    /// The heads of a segment's parts, and columns. Throws what the database throws, and `damaged`.
    func read(
        _ place: Int, _ columns: SegmentReader.Columns
    ) throws(StorageError) -> SegmentReader.Packed {
        if let known = try known(sources[place], columns) { return known }
        return try file.withLock { (file) throws(StorageError) in
            try readRow(of: sources[place], columns, file.contents)
        }
    }

    /// Of the events of a name in a segment, what they have for some attributes: from memory, or else from
    /// their rows. Throws what the database throws, and `damaged`.
    /// - Parameters:
    ///   - keys: the same each time
    ///   - name: its row
    func attributes(
        _ keys: [AttributeKey], ofName name: Int64, at place: Int
    ) throws(StorageError) -> [AttributeColumn] {
        if let known = known(keys, name, place) { return known }
        return try file.withLock { (file) throws(StorageError) in
            if let found = file.ahead[name]?.removeValue(forKey: place) { return found }
            // Somebody may have made it meanwhile.
            if let known = known(keys, name, place) { return known }
            return try make(keys, name, from: place, &file)
        }
    }

    /// For this segment and later ones: their batches are the same in part.
    private func make(
        _ keys: [AttributeKey], _ name: Int64, from first: Int, _ file: inout File
    ) throws(StorageError) -> [AttributeColumn] {
        var rows = try AttributeRows(keys, ofName: name, file.connection)
        var places: [Int] = []
        for place in first..<sources.count {
            if place > first, file.ahead[name]?[place] != nil || known(keys, name, place) != nil {
                continue
            }
            try rows.add(try read(sources[place], [.times, .names], file.contents))
            places.append(place)
            if rows.count >= Self.eventsAtOnce { break }
        }
        var found: [AttributeColumn] = []
        for (place, columns) in zip(places, try rows.columns()) {
            if place == first {
                found = columns
            } else {
                file.ahead[name, default: [:]][place] = columns
            }
            guard let identity = sources[place].identity else { continue }
            for (key, column) in zip(keys, columns) {
                tails.attributes.put(
                    column, AttributeCache.Key(segment: identity, name: name, attribute: key))
            }
        }
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

    /// What can be had without the database.
    private func known(
        _ source: Source, _ columns: SegmentReader.Columns
    ) throws(StorageError) -> SegmentReader.Packed? {
        if let packed = source.packed { return SegmentReader.Packed(packed, columns) }
        guard let identity = source.identity else { throw damage }
        guard let parts = tails.cache.column(0, of: identity) else { return nil }
        var packed = SegmentReader.Packed(day: source.day, parts: parts)
        for (column, place) in Self.places where columns.contains(column) {
            guard let octets = tails.cache.column(place, of: identity) else { return nil }
            packed.columns.append((column, octets))
        }
        return packed
    }

    private func read(
        _ source: Source, _ columns: SegmentReader.Columns, _ contents: borrowing Statement
    ) throws(StorageError) -> SegmentReader.Packed {
        if let known = try known(source, columns) { return known }
        return try readRow(of: source, columns, contents)
    }

    private func readRow(
        of source: Source, _ columns: SegmentReader.Columns, _ contents: borrowing Statement
    ) throws(StorageError) -> SegmentReader.Packed {
        guard let identity = source.identity else { throw damage }
        try contents.bind(1, identity.row)
        defer { contents.reset() }
        guard try contents.step() else {
            throw .damaged(
                path: path, found: "an index of segments has one that is not there")
        }
        func column(_ place: Int32) -> [UInt8] {
            if let known = tails.cache.column(place, of: identity) { return known }
            let octets = PackedReader.padded(contents.blob(place))
            tails.cache.put(octets, column: place, of: identity)
            return octets
        }
        var packed = SegmentReader.Packed(day: source.day, parts: column(0))
        for (name, place) in Self.places where columns.contains(name) {
            packed.columns.append((name, column(place)))
        }
        return packed
    }

    // They stand one behind the other in pages of their own: the later ones are read only where they
    // are asked for.
    private static let selectColumns =
        "SELECT parts, sessions, times, names, subjects FROM segment WHERE id = ?1"

    /// Where columns stand in `selectColumns`.
    private static let places: [(SegmentReader.Columns, Int32)] = [
        (.sessions, 1), (.gaps, 2), (.names, 3), (.subjects, 4),
    ]
}
