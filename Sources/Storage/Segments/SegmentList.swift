import Columns
import Database
import Synchronization

/// The segments of an app with events in a stretch of time, and for events in no segment, rows packed as
/// segments; each once, in no order. Any number of threads read them at once, each with a `SegmentScan`
/// of its own: each segment is read by one of them. They use the database one at a time.
package final class SegmentList: Sendable {
    /// Where a segment is.
    private struct Source {
        let day: Int64
        /// Its identity in caches; nil where it is in none.
        let identity: SegmentCache.Segment?
        /// The segment itself, where it is in no row.
        let packed: Segment?
    }

    /// The connection, of which one thread at a time may ask.
    struct File: ~Copyable {
        let connection: Connection
        fileprivate let contents: Statement
        fileprivate let blocks: Statement

        /// The block of attributes beside a segment, padded; nil where there is none.
        func block(of segment: SegmentCache.Segment) throws(StorageError) -> [UInt8]? {
            try blocks.bind(1, segment.row)
            try blocks.bind(2, segment.checksum)
            defer { blocks.reset() }
            guard try blocks.step() else { return nil }
            return blocks.withBlob(0) { PackedReader.padded(copying: $0) }
        }
    }

    /// What a thread does before each segment: it may sleep, or end the scan by throwing. It gets how
    /// many nanoseconds the thread has worked since.
    package typealias Pause = @Sendable (_ worked: UInt64) throws(StorageError) -> Void

    /// Milliseconds since 1970-01-01T00:00:00Z.
    let window: Range<Int64>
    let pause: Pause
    /// Counts the memory held while the list is read; nil where it is not needed.
    let account: (any MemoryAccount)?
    /// Bytes of segments that are in no row.
    private let packedBytes: Int
    private let turn: ConnectionTurn
    private let sources: [Source]
    /// How many were left out.
    package let knownCount: Int
    private let taken = Atomic(0)
    let tails: SegmentTails
    private let path: String
    private let file: Mutex<File>

    /// Lends further connections, for rows of batches.
    private let readers: ConnectionPool?
    /// Hint rows of segments, and of their attributes; nil without further connections.
    private let segmentsAhead: RowsAhead?
    private let blocksAhead: RowsAhead?
    /// The fact that counts how often rows of the app were deleted.
    private let removals: String

    /// - Parameters:
    ///   - app: its row
    ///   - window: milliseconds since 1970-01-01T00:00:00Z
    ///   - connection: in a transaction; nobody else uses it while the list is read
    ///   - tails: packs the rows after the last segment, and has the caches
    ///   - account: counts the memory held
    ///   - turn: shared with other users of the connection
    ///   - readers: lends further connections
    ///   - isKnown: whether the caller needs no segment of a row: then it is left out
    ///   - pause: what each thread does before each segment
    package convenience init(
        of app: Int64, _ window: Range<Int64>, _ connection: Connection, _ tails: SegmentTails,
        account: (any MemoryAccount)? = nil, turn: ConnectionTurn = ConnectionTurn(),
        readers: ConnectionPool? = nil,
        except isKnown: (SegmentCache.Segment) -> Bool = { _ in false },
        pause: @escaping Pause = { _ in }
    ) throws(StorageError) {
        let days = Segment.days(of: window)
        var sources = try Self.stored(of: app, days, connection)
        let all = sources.count
        sources.removeAll { $0.identity.map(isKnown) ?? false }
        let knownCount = all - sources.count
        for packed in try tails.tail(of: app, connection) where days.contains(packed.segment.day) {
            sources.append(
                Source(
                    day: packed.segment.day, identity: packed.identity, packed: packed.segment))
        }
        sources += try Self.stale(of: app, days, connection)
        try self.init(
            sources, knownCount, of: app, window, connection, tails, account, turn, readers, pause)
    }

    /// Those in rows of `segment`, of days that are not stale: what is in none of these is left out.
    package convenience init(
        storedOf app: Int64, _ window: Range<Int64>, _ connection: Connection, _ tails: SegmentTails
    ) throws(StorageError) {
        let stored = try Self.stored(of: app, Segment.days(of: window), connection)
        try self.init(
            stored, 0, of: app, window, connection, tails, nil, ConnectionTurn(), nil
        ) { _ in }
    }

    private init(
        _ sources: [Source], _ knownCount: Int, of app: Int64, _ window: Range<Int64>,
        _ connection: Connection,
        _ tails: SegmentTails, _ account: (any MemoryAccount)?, _ turn: ConnectionTurn,
        _ readers: ConnectionPool?, _ pause: @escaping Pause
    ) throws(StorageError) {
        let contents = try connection.prepare(Self.selectColumns)
        let blocks = try connection.prepare(AttributeBlocks.select)
        self.window = window
        self.account = account
        self.turn = turn
        self.readers = readers
        removals = Connection.removals(of: app)
        self.sources = sources
        self.knownCount = knownCount
        self.tails = tails
        segmentsAhead = readers.map { readers in
            RowsAhead("segment", count: sources.count, tails.ahead, readers) { index, column in
                let stored = sources[index].packed == nil ? sources[index].identity : nil
                guard let stored,
                    tails.cache.column(Int32(column - Self.firstBlob), of: stored) == nil
                else { return nil }
                return stored.row
            }
        }
        blocksAhead = readers.map { readers in
            RowsAhead("segment_attributes", count: sources.count, tails.ahead, readers) {
                index, _ in sources[index].packed == nil ? sources[index].identity?.row : nil
            }
        }
        self.pause = pause
        path = connection.path
        file = Mutex(File(connection: connection, contents: contents, blocks: blocks))
        packedBytes =
            sources.capacity * MemoryLayout<Source>.stride
            + sources.reduce(0) { $0 + ($1.packed?.bytes ?? 0) }
        account?.add(packedBytes)
    }

    deinit { account?.add(-packedBytes) }

    /// The identities of an app's segments in rows that have events in a stretch of time, but for those of stale
    /// days. Throws what the database throws.
    package static func identities(
        storedOf app: Int64, _ window: Range<Int64>, _ connection: Connection
    ) throws(StorageError) -> [SegmentCache.Segment] {
        try stored(of: app, Segment.days(of: window), connection).compactMap(\.identity)
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
        for stale in try StaleDays.all(connection, of: app) {
            let some = stale.days.filter { days.contains($0) }
            if some.isEmpty { continue }
            var rows = try SegmentRows(connection)
            var builder = SegmentBuilder()
            var batches = DayBatches(
                of: app, days: some, upTo: try SegmentTable.lastBatch(of: app, connection))
            var isMore = true
            while isMore {
                isMore = try rows.read(&batches, maxCount: Segment.maxEvents, into: &builder)
                sources += builder.build().map { Source(day: $0.day, identity: nil, packed: $0) }
                builder.removeAll()
            }
        }
        return sources
    }

    /// How many segments there are.
    package var count: Int { sources.count }

    /// Takes the next segment: its index; nil where none is left.
    func take() -> Int? {
        let index = taken.wrappingAdd(1, ordering: .relaxed).oldValue
        return index < sources.count ? index : nil
    }

    /// The identity of a segment in caches; nil where it is in none.
    func identity(of index: Int) -> SegmentCache.Segment? { sources[index].identity }

    /// The same; nil where it is in no row.
    func storedIdentity(of index: Int) -> SegmentCache.Segment? {
        sources[index].packed == nil ? sources[index].identity : nil
    }

    /// A thread is about to read a segment: has the system fetch it and those that come next.
    func comeToSegment(_ index: Int, _ columns: SegmentReader.Columns) {
        guard let segmentsAhead else { return }
        let last = Self.blobColumns.last { columns.contains($0.0) }?.1 ?? 0
        segmentsAhead.come(to: index, upTo: Self.firstBlob + Int(last))
    }

    /// The same of its attributes.
    func comeToBlock(_ index: Int) { blocksAhead?.come(to: index, upTo: 2) }

    /// The error where a segment is not what was written.
    var damage: StorageError {
        .damaged(path: path, found: "a segment of events is not what was written")
    }

    /// The heads of a segment's parts, and columns. Throws what the database throws, and `damaged`.
    func read(
        _ index: Int, _ columns: SegmentReader.Columns
    ) throws(StorageError) -> SegmentReader.Packed {
        if let known = try known(sources[index], columns) { return known }
        return try asking { (file) throws(StorageError) in
            try readRow(of: sources[index], columns, file.contents)
        }
    }

    /// The same for who asks already.
    func read(
        _ index: Int, _ columns: SegmentReader.Columns, _ file: borrowing File
    ) throws(StorageError) -> SegmentReader.Packed {
        if let known = try known(sources[index], columns) { return known }
        return try readRow(of: sources[index], columns, file.contents)
    }

    /// Calls `body` with the connection, one thread at a time.
    func asking<T: Sendable>(
        _ body: (inout File) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        try turn.take { () throws(StorageError) in
            try file.withLock { (file) throws(StorageError) in try body(&file) }
        }
    }

    /// Columns of attributes of segments, from rows. These never change: where none was deleted meanwhile they
    /// are read on a connection that other threads do not wait for. Throws what the database throws, and
    /// `damaged`.
    func columns(of rows: inout AttributeRows) throws(StorageError) -> [[AttributeColumn]] {
        if let readers {
            let own = try asking { (file) throws(StorageError) in
                try file.connection.fact(removals)
            }
            let made = try readers.lend { (connection) throws(StorageError) in
                try connection.fact(removals) == own ? rows.columns(on: connection, pause) : nil
            }
            if let made = made ?? nil { return made }
        }
        return try asking { (file) throws(StorageError) in
            try rows.columns(on: file.connection, pause)
        }
    }

    /// What is available without the database.
    private func known(
        _ source: Source, _ columns: SegmentReader.Columns
    ) throws(StorageError) -> SegmentReader.Packed? {
        if let packed = source.packed { return SegmentReader.Packed(packed, columns) }
        guard let identity = source.identity else { throw damage }
        guard let parts = tails.cache.column(0, of: identity) else { return nil }
        var packed = SegmentReader.Packed(day: source.day, parts: parts)
        for (column, index) in Self.blobColumns where columns.contains(column) {
            guard let bytes = tails.cache.column(index, of: identity) else { return nil }
            packed.columns.append((column, bytes))
        }
        return packed
    }

    private func readRow(
        of source: Source, _ columns: SegmentReader.Columns, _ contents: borrowing Statement
    ) throws(StorageError) -> SegmentReader.Packed {
        guard let identity = source.identity else { throw damage }
        let wanted = [0] + Self.blobColumns.filter { columns.contains($0.0) }.map(\.1)
        var known: [Int32: [UInt8]] = [:]
        var missing: Int64 = 0
        for index in wanted {
            known[index] = tails.cache.column(index, of: identity)
            if known[index] == nil { missing |= 1 << Int64(index) }
        }
        try contents.bind(1, identity.row)
        try contents.bind(2, missing)
        defer { contents.reset() }
        guard try contents.step() else {
            throw .damaged(
                path: path, found: "an index of segments has one that is not there")
        }
        func column(_ index: Int32) -> [UInt8] {
            if let known = known[index] { return known }
            let bytes = contents.withBlob(index) { PackedReader.padded(copying: $0) }
            tails.cache.put(bytes, column: index, of: identity)
            return bytes
        }
        var packed = SegmentReader.Packed(day: source.day, parts: column(0))
        for (name, index) in Self.blobColumns where columns.contains(name) {
            packed.columns.append((name, column(index)))
        }
        return packed
    }

    // SQLite reads each column of a result when it comes to the row, whether it is asked for or not: pages of
    // those that are not wanted would be read too.
    private static let selectColumns = """
        SELECT iif(?2 & 1, parts, NULL), iif(?2 & 2, sessions, NULL), iif(?2 & 4, times, NULL),
            iif(?2 & 8, names, NULL), iif(?2 & 16, subjects, NULL)
        FROM segment WHERE id = ?1
        """

    /// The index of `parts` among the columns of the table.
    private static let firstBlob = 4

    /// The indices of columns in `selectColumns`.
    private static let blobColumns: [(SegmentReader.Columns, Int32)] = [
        (.sessions, 1), (.gaps, 2), (.names, 3), (.subjects, 4),
    ]
}
