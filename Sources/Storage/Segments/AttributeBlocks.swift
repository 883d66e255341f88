import Columns
import Database
import Events

/// Rows of `segment_attributes`: blocks of attributes that stand beside segments (`AttributeBlock`).
package enum AttributeBlocks {
    /// The block of a segment by its row and checksum.
    static let select = "SELECT columns FROM segment_attributes WHERE id = ?1 AND of = ?2"

    /// Segments of days that are not stale, as `s`. What is asked of the index alone reads no row: these lie far from
    /// each other, and a checksum stands behind its row's pages.
    static let segments = """
        segment AS s INDEXED BY segment_by_day WHERE NOT EXISTS (
            SELECT 1 FROM stale_day AS d WHERE d.app = s.app AND d.day = s.day)
        """

    /// A segment of which there is no block.
    package struct Missing: Sendable, Hashable {
        package let id: Int64
        let checksum: Int64
        let app: Int64
        let day: Int64

        /// The segment of a row.
        package init(id: Int64, checksum: Int64, app: Int64, day: Int64) {
            (self.id, self.checksum, self.app, self.day) = (id, checksum, app, day)
        }
    }

    /// Segments without a block, of days that are not stale, the newest first. Throws what the database throws.
    package static func missing(_ connection: Connection) throws(StorageError) -> [Missing] {
        // Both statements read an index alone.
        var checksums: [Int64: Int64] = [:]
        let blocks = try connection.prepare(
            "SELECT id, of FROM segment_attributes INDEXED BY segment_attributes_of")
        while try blocks.step() { checksums[blocks.int(0)] = blocks.int(1) }
        let segments = try connection.prepare(
            "SELECT s.id, s.checksum, s.app, s.day FROM \(Self.segments)")
        var missing: [Missing] = []
        while try segments.step() {
            let id = segments.int(0)
            if checksums[id] == segments.int(1) { continue }
            missing.append(
                Missing(
                    id: id, checksum: segments.int(1), app: segments.int(2), day: segments.int(3)))
        }
        return missing.sorted { $0.id > $1.id }
    }

    /// A number that changes whenever a segment is made: its row and checksum are the last one's.
    package static func newest(_ connection: Connection) throws(StorageError) -> [Int64] {
        let last = try connection.prepare(
            "SELECT id, checksum FROM segment ORDER BY id DESC LIMIT 1")
        return try last.step() ? [last.int(0), last.int(1)] : []
    }

    /// A block that was made.
    package struct Made: Sendable {
        package let segment: Missing
        /// As `AttributeBlock` reads it.
        package let columns: [UInt8]
        /// How often rows of the app had been deleted by then.
        let removals: Int64
    }

    /// Writes blocks, of segments that are still what they were. Within a transaction on a connection that writes.
    package static func insert(
        _ blocks: ArraySlice<Made>, _ connection: Connection
    ) throws(StorageError) {
        let insert = try connection.prepare(
            """
            INSERT OR REPLACE INTO segment_attributes (id, of, columns, checksum)
            SELECT ?1, ?2, ?3, \(CheckedTable.segmentAttributes.expression("?1, ?2, ?3"))
            WHERE EXISTS (SELECT 1 FROM segment WHERE id = ?1 AND checksum = ?2)
            """)
        for block in blocks {
            // Its rows may be gone, and its day not stale any more.
            let removals =
                try connection.fact(Connection.removals(of: block.segment.app)) ?? 0
            guard removals == block.removals else { continue }
            try insert.bind(1, block.segment.id)
            try insert.bind(2, block.segment.checksum)
            try insert.bindBlob(3, block.columns)
            try insert.run()
        }
    }
}

/// Makes blocks of attributes of some segments at once, from the rows of their events: a batch of many days is
/// read once and not for each of them.
package struct AttributeBlockMaker: ~Copyable {
    /// That a batch has events in a part of a segment.
    private struct Visit {
        let batch: Int64
        /// Index of the segment, and its day.
        let target: Int
        let day: Int64
        /// Number of the part.
        let part: Int
        /// How many of its events have been read.
        var read = 0
    }

    private let connection: Connection
    private let segment: Statement
    private let batch: Statement
    private let events: Statement
    private var names: SegmentRows
    private let subjects: [StandardAttribute: Int64]
    private var segments: [AttributeBlocks.Missing] = []
    private var targets: [AttributeBlockBuilder] = []
    private var visits: [Visit] = []

    /// How many events the segments have.
    package private(set) var count = 0
    /// Segments that are not what was written, or of whose events there are other rows.
    package private(set) var refused: [AttributeBlocks.Missing] = []

    /// - Parameter connection: in a transaction
    package init(_ connection: Connection) throws(StorageError) {
        let segment = try connection.prepare(
            """
            SELECT s.parts, s.sessions, s.times, s.names FROM \(AttributeBlocks.segments)
                AND s.app = ?1 AND s.day = ?2 AND s.checksum = ?3 AND s.id = ?4
            """)
        let batch = try connection.prepare(
            "SELECT received_at, attribute_keys, sessions FROM batch WHERE id = ?1")
        let events = try connection.prepare(
            """
            SELECT name, late, session, attributes FROM event
            WHERE \(EventID.isSQL("id", ofBatch: "?1")) ORDER BY id
            """)
        let names = try SegmentRows(connection)
        var subjects: [StandardAttribute: Int64] = [:]
        let key = try connection.prepare("SELECT id FROM attribute_key WHERE text = ?1")
        for attribute in StandardAttribute.allCases {
            try key.bind(1, attribute.key)
            if try key.step() { subjects[attribute] = key.int(0) }
            key.reset()
        }
        // All or none: a value that cannot be copied is never half there.
        self.connection = connection
        self.segment = segment
        self.batch = batch
        self.events = events
        self.names = names
        self.subjects = subjects
    }

    /// Adds a segment. Does nothing where that has gone since it was listed (merged, rebuilt, pruned), where its
    /// number is another's, or where its day has become stale. Throws what the database throws.
    package mutating func add(_ missing: AttributeBlocks.Missing) throws(StorageError) {
        try segment.bind(1, missing.app)
        try segment.bind(2, missing.day)
        try segment.bind(3, missing.checksum)
        try segment.bind(4, missing.id)
        defer { segment.reset() }
        guard try segment.step() else { return }
        let builder = AttributeBlockBuilder(
            SegmentReader.Packed(
                Segment(
                    day: missing.day, events: 0, parts: segment.blob(0),
                    sessions: segment.blob(1), times: segment.blob(2), names: segment.blob(3),
                    subjects: []), [.times, .names]))
        if builder.isBroken { return refused.append(missing) }
        for (part, batch) in builder.batches {
            visits.append(
                Visit(batch: batch, target: targets.count, day: builder.day, part: part))
        }
        count += builder.count
        segments.append(missing)
        targets.append(builder)
    }

    /// The blocks; nil where `goesOn` says that it has to end. Throws what the database throws.
    /// - Parameter goesOn: is asked after each few batches
    package mutating func blocks(
        while goesOn: () -> Bool
    ) throws(StorageError) -> [AttributeBlocks.Made]? {
        visits.sort { $0.batch < $1.batch }
        var broken = [Bool](repeating: false, count: targets.count)
        var (index, read) = (0, 0)
        while index < visits.count {
            var end = index + 1
            while end < visits.count, visits[end].batch == visits[index].batch { end += 1 }
            try self.read(index..<end, &broken)
            index = end
            read += 1
            if read % Self.stride == 0, !goesOn() { return nil }
        }
        visits = []
        var made: [AttributeBlocks.Made] = []
        for (index, segment) in segments.enumerated() {
            guard !broken[index], let columns = targets[index].block() else {
                refused.append(segment)
                continue
            }
            let removals = try connection.fact(Connection.removals(of: segment.app)) ?? 0
            made.append(
                AttributeBlocks.Made(segment: segment, columns: columns, removals: removals))
        }
        (segments, targets) = ([], [])
        return made
    }

    /// How many batches are read between two questions whether to go on.
    private static let stride = 256

    /// Reads the events of a batch, which some parts have.
    private mutating func read(
        _ range: Range<Int>, _ broken: inout [Bool]
    ) throws(StorageError) {
        let number = visits[range.lowerBound].batch
        try batch.bind(1, number)
        defer { batch.reset() }
        let isThere = try batch.step()
        guard isThere, let keys = batch.withText(1, { CodeList.parse($0) }) else {
            for visit in range { broken[visits[visit].target] = true }
            return
        }
        let arrival = batch.int(0)
        let sessions = SegmentBuilder.hashes(of: batch.blob(2))
        try events.bind(1, number)
        defer { events.reset() }
        while try events.step() {
            let time = arrival &- events.int(1)
            let day = Segment.day(of: time)
            guard let visit = range.first(where: { visits[$0].day == day }) else { continue }
            let (target, part) = (visits[visit].target, visits[visit].part)
            let session = events.optionalInt(2).flatMap { Int(exactly: $0) }
            let name = try names.name(events.int(0))
            guard !broken[target], visits[visit].read < targets[target].count(ofPart: part),
                session.map({ sessions.indices.contains($0) }) ?? true,
                let event = targets[target].add(
                    visits[visit].read, ofPart: part, name, time: time,
                    session: session.map { sessions[$0] })
            else {
                broken[target] = true
                continue
            }
            visits[visit].read += 1
            let subject = name.key.flatMap { subjects[$0] }
            let isWhole = events.withText(3) { text in
                Self.add(text, keys, subject: subject, to: &targets[target], event)
            }
            if !isWhole { broken[target] = true }
        }
        for visit in range
        where visits[visit].read != targets[visits[visit].target].count(ofPart: visits[visit].part)
        {
            broken[visits[visit].target] = true
        }
    }

    /// - Returns: false where the text is no row's
    private static func add(
        _ text: Span<UInt8>, _ keys: [Int64], subject: Int64?,
        to target: inout AttributeBlockBuilder, _ event: Int
    ) -> Bool {
        var walk = ArrayElements.Walk(.bare)
        while true {
            let key = walk.next(in: text)
            if case .end = key { return true }
            guard case .element(let key) = key, let index = text.integer(key),
                index < keys.count, case .element(let value) = walk.next(in: text)
            else { return false }
            let row = keys[Int(index)]
            if row == subject {
                target.set(nil, row, ofEvent: event)
            } else {
                target.set(text.extracting(value), row, ofEvent: event)
            }
        }
    }
}
