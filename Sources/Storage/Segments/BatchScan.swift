import Columns
import Database

/// All batches of an app, with and without events, and what is counted of them:
///
///     var scan = try BatchScan(of: app, connection, tails)
///     while try scan.next() { … scan.arrival … }
///
/// Neighbouring rows are kept in memory, packed in some 20 bytes each: that is read twenty times as fast
/// as rows are. A batch stays as it is as long as nothing of its app is taken away.
package struct BatchScan: ~Copyable {
    /// Rows of its device and of its resource.
    package private(set) var device: Int64 = 0
    package private(set) var resource: Int64 = 0
    /// When it came, milliseconds since 1970-01-01T00:00:00Z.
    package private(set) var arrival: Int64 = 0
    /// Something was added to the times of its events.
    package private(set) var isCorrected = false
    /// The raw value of `Events.Profile`.
    package private(set) var profile: Int64 = 0
    /// Row of its key.
    package private(set) var key: Int64?
    /// Its number among its device's.
    package private(set) var sequence: Int64?
    /// The device's own counts.
    package private(set) var droppedEvents: Int64 = 0
    /// Size of its body as sent.
    package private(set) var bytes: Int64 = 0
    /// Events as counted in the answer.
    package private(set) var accepted: Int64 = 0
    package private(set) var rejected: Int64 = 0
    /// Events that are still stored.
    package private(set) var events: Int64 = 0
    /// Times of the earliest and the latest of these; 0 without any.
    package private(set) var first: Int64 = 0
    package private(set) var last: Int64 = 0

    /// Rows of a block.
    private static let blockBits: Int64 = 12

    private let app: Int64
    private let path: String
    private let rows: Statement
    private let find: Statement
    private let cache: BatchCache
    private let removals: Int64
    /// The newest batch of the app.
    private let newest: Int64
    private var block: Int64 = 0
    private var reader = PackedReader()

    /// - Parameters:
    ///   - app: its row
    ///   - connection: in a transaction
    package init(
        of app: Int64, _ connection: Connection, _ tails: SegmentTails
    ) throws(StorageError) {
        let rows = try connection.prepare(
            """
            SELECT received_at, device, resource, clock_shift, profile, key, sequence,
                dropped_events, body_bytes, accepted, rejected, pruned, first_time, last_time
            FROM batch INDEXED BY batch_by_app WHERE app = ?1 AND id >= ?2 AND id < ?3
            """)
        let find = try connection.prepare(
            "SELECT min(id) FROM batch INDEXED BY batch_by_app WHERE app = ?1 AND id >= ?2")
        let newest =
            try connection.integers(
                "SELECT max(id) FROM batch INDEXED BY batch_by_app WHERE app = ?1", app
            ).first ?? 0
        let removals = try connection.fact(Connection.removals(of: app)) ?? 0
        // All or none: a value that cannot be copied is never half there.
        self.app = app
        path = connection.path
        self.rows = rows
        self.find = find
        self.newest = newest
        self.removals = removals
        cache = tails.batches
        reader.load(PackedReader.padded([]))
    }

    /// Goes to the next batch. False after the last one. Throws what the database throws.
    package mutating func next() throws(StorageError) -> Bool {
        while reader.isAtEnd {
            guard try beginNext() else { return false }
        }
        read()
        if reader.isBroken { throw .damaged(path: path, found: "a batch cannot be read") }
        return true
    }

    /// Advances to the next block that has batches.
    private mutating func beginNext() throws(StorageError) -> Bool {
        while block <= newest >> Self.blockBits {
            let key = BatchCache.Key(app: app, block: block, removals: removals)
            if let known = cache.block(key) {
                begin(known)
                return true
            }
            try find.bind(1, app)
            try find.bind(2, block << Self.blockBits)
            let id = try find.step() ? find.optionalInt(0) : nil
            find.reset()
            guard let id else { return false }
            // Where there is none for long, none is looked for block by block.
            if id >> Self.blockBits > block {
                block = id >> Self.blockBits
                continue
            }
            let packed = PackedReader.padded(try pack())
            // Batches are only added after the newest.
            if newest >= (block + 1) << Self.blockBits { cache.put(packed, key) }
            begin(packed)
            return true
        }
        return false
    }

    private mutating func begin(_ packed: [UInt8]) {
        block += 1
        arrival = 0
        reader.load(packed)
    }

    /// The app's batches of the block.
    private func pack() throws(StorageError) -> [UInt8] {
        try rows.bind(1, app)
        try rows.bind(2, block << Self.blockBits)
        try rows.bind(3, (block + 1) << Self.blockBits)
        defer { rows.reset() }
        var out = PackedWriter()
        var last: Int64 = 0
        while try rows.step() {
            let arrival = rows.int(0)
            out.append(signed: arrival &- last)
            last = arrival
            for column: Int32 in [1, 2] { out.append(UInt64(bitPattern: rows.int(column))) }
            let (key, sequence) = (rows.optionalInt(5), rows.optionalInt(6))
            // Without events there are no times.
            let hasTimes = !rows.isNull(12)
            out.append(
                (rows.int(3) == 0 ? 0 : 1) | (key == nil ? 0 : 2) | (sequence == nil ? 0 : 4)
                    | (hasTimes ? 8 : 0) | UInt64(bitPattern: rows.int(4)) << 4)
            if let key { out.append(UInt64(bitPattern: key)) }
            if let sequence { out.append(UInt64(bitPattern: sequence)) }
            for column: Int32 in 7...11 { out.append(UInt64(bitPattern: rows.int(column))) }
            guard hasTimes else { continue }
            out.append(signed: arrival &- rows.int(12))
            out.append(signed: rows.int(13) &- rows.int(12))
        }
        return out.bytes
    }

    private mutating func read() {
        arrival &+= reader.signedNumber()
        device = Int64(bitPattern: reader.number())
        resource = Int64(bitPattern: reader.number())
        let flags = reader.number()
        isCorrected = flags & 1 != 0
        profile = Int64(bitPattern: flags >> 4)
        key = flags & 2 == 0 ? nil : Int64(bitPattern: reader.number())
        sequence = flags & 4 == 0 ? nil : Int64(bitPattern: reader.number())
        droppedEvents = Int64(bitPattern: reader.number())
        bytes = Int64(bitPattern: reader.number())
        accepted = Int64(bitPattern: reader.number())
        rejected = Int64(bitPattern: reader.number())
        events = accepted &- Int64(bitPattern: reader.number())
        (first, last) = (0, 0)
        guard flags & 8 != 0 else { return }
        first = arrival &- reader.signedNumber()
        last = first &+ reader.signedNumber()
    }
}
