import Columns
import Database
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
        /// Octets that these take.
        var aheadOctets = 0
        /// How many events columns are made for at once, now that it is known how long their texts are.
        var eventsAtOnce = Segment.mostEvents
    }

    /// What a thread does before each segment: it may rest, or end the scan by throwing. It is told how
    /// many nanoseconds it has worked since.
    package typealias Pause = @Sendable (_ worked: UInt64) throws(StorageError) -> Void

    /// Milliseconds since 1970-01-01T00:00:00Z.
    let window: Range<Int64>
    let pause: Pause
    /// Told what is held while the list is gone through; nil where nobody asks.
    let account: (any MemoryAccount)?
    /// Octets of segments that stand in no row.
    private let packedOctets: Int
    private let turn: ConnectionTurn
    private let sources: [Source]
    private let taken = Atomic(0)
    private let tails: SegmentTails
    private let path: String
    private let file: Mutex<File>

    /// Events of a name for which columns are made at once, at most, and how many octets these may take:
    /// each takes some 40 meanwhile, and its texts.
    private static let mostEventsAtOnce = 1 << 19
    private static let mostOctetsAtOnce = 24 << 20
    private static let octetsOfEvent = 40

    /// - Parameters:
    ///   - app: its row
    ///   - window: milliseconds since 1970-01-01T00:00:00Z
    ///   - connection: in a transaction; nobody else uses it while the list is gone through
    ///   - tails: what is known of the rows behind the last segment
    ///   - account: told what is held
    ///   - turn: of who else uses the connection meanwhile
    ///   - pause: what each thread does before each segment
    package convenience init(
        of app: Int64, _ window: Range<Int64>, _ connection: Connection, _ tails: SegmentTails,
        account: (any MemoryAccount)? = nil, turn: ConnectionTurn = ConnectionTurn(),
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
        try self.init(sources, window, connection, tails, account, turn, pause)
    }

    /// Those in rows of `segment`, of days that are not stale: what is in none of these is left out.
    package convenience init(
        storedOf app: Int64, _ window: Range<Int64>, _ connection: Connection, _ tails: SegmentTails
    ) throws(StorageError) {
        let stored = try Self.stored(of: app, Segment.days(of: window), connection)
        try self.init(stored, window, connection, tails, nil, ConnectionTurn()) { _ in }
    }

    private init(
        _ sources: [Source], _ window: Range<Int64>, _ connection: Connection,
        _ tails: SegmentTails, _ account: (any MemoryAccount)?, _ turn: ConnectionTurn,
        _ pause: @escaping Pause
    ) throws(StorageError) {
        let contents = try connection.prepare(Self.selectColumns)
        self.window = window
        self.account = account
        self.turn = turn
        self.sources = sources
        self.tails = tails
        self.pause = pause
        path = connection.path
        file = Mutex(File(connection: connection, contents: contents))
        packedOctets =
            sources.capacity * MemoryLayout<Source>.stride
            + sources.reduce(0) { $0 + ($1.packed?.octets ?? 0) }
        account?.add(packedOctets)
    }

    deinit { account?.add(-packedOctets - file.withLock { $0.aheadOctets }) }

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
            let last = try SegmentTable.lastBatch(of: app, connection)
            var (batch, isMore): (Int64, Bool) = (0, true)
            while isMore {
                isMore = try rows.read(
                    of: app, day: stale.day, behind: batch, upTo: last, most: Segment.mostEvents,
                    into: &builder)
                batch = builder.lastBatch ?? last
                sources += builder.build().map { Source(day: $0.day, identity: nil, packed: $0) }
                builder.removeAll()
            }
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
        return try asking { (file) throws(StorageError) in
            try readRow(of: sources[place], columns, file.contents)
        }
    }

    /// Has the connection in turn.
    private func asking<T: Sendable>(
        _ body: (inout File) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        try turn.take { () throws(StorageError) in
            try file.withLock { (file) throws(StorageError) in try body(&file) }
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
        return try asking { (file) throws(StorageError) in
            if let found = file.ahead[name]?.removeValue(forKey: place) {
                let octets = Self.octets(of: found)
                file.aheadOctets -= octets
                account?.add(-octets)
                return found
            }
            // Somebody may have made it meanwhile.
            if let known = known(keys, name, place) { return known }
            return try make(keys, name, from: place, &file)
        }
    }

    /// For this segment and later ones: their batches are the same in part.
    private func make(
        _ keys: [AttributeKey], _ name: Int64, from first: Int, _ file: inout File
    ) throws(StorageError) -> [AttributeColumn] {
        var rows = try AttributeRows(keys, ofName: name, file.connection, account)
        var places: [Int] = []
        for place in first..<sources.count {
            if place > first, file.ahead[name]?[place] != nil || known(keys, name, place) != nil {
                continue
            }
            try rows.add(try read(sources[place], [.times, .names], file.contents))
            places.append(place)
            if rows.count >= file.eventsAtOnce { break }
        }
        let count = rows.count
        var (found, octets): ([AttributeColumn], Int) = ([], 0)
        for (place, columns) in zip(places, try rows.columns()) {
            octets += Self.octets(of: columns)
            if place == first {
                found = columns
            } else {
                file.ahead[name, default: [:]][place] = columns
                file.aheadOctets += Self.octets(of: columns)
                account?.add(Self.octets(of: columns))
            }
            guard let identity = sources[place].identity else { continue }
            for (key, column) in zip(keys, columns) {
                tails.attributes.put(
                    column, AttributeCache.Key(segment: identity, name: name, attribute: key))
            }
        }
        let ofEvent = octets / max(count, 1) + Self.octetsOfEvent
        file.eventsAtOnce = min(Self.mostOctetsAtOnce / ofEvent, Self.mostEventsAtOnce)
        return found
    }

    private static func octets(of columns: [AttributeColumn]) -> Int {
        columns.reduce(0) { $0 + $1.size }
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
