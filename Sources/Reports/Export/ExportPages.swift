import Events
import JSON
import Storage

/// The lines of an export, page after page. Between pages it holds no statement and no transaction,
/// only which events come next, at most `batchSize` row ids: so a reader may be as slow as it likes.
package struct ExportPages: Sendable {
    private let app: Int64
    private let filter: ResourceFilter
    /// Row of the one device whose lines they are; nil: of all.
    private let device: Int64?
    /// Its hash.
    private let hash: DeviceHash?
    /// The stretches of time still to be gone through; the first begins where the search goes on.
    private var stretches: ArraySlice<Range<Int64>>
    /// How much of a stretch is searched at once, milliseconds: so much that about `batchSize`
    /// events are found. Grows where there are few.
    private var width: Int64 = 3_600_000
    /// The last event found, behind which the search goes on.
    private var position: ExportPosition?
    /// Rows of the events found and not yet written, the next one last.
    private var found: [Int64] = []

    /// Events that are looked up at once.
    static let batchSize = 8_192

    /// The lines that answer a question.
    package init(_ question: Question) {
        app = question.app.id
        filter = question.filter
        device = nil
        hash = nil
        position = question.after
        stretches = question.zone.intervals(from: question.from, to: question.to)[...]
        if let after = question.after { skip(to: after.time) }
    }

    /// The lines of one device: all, unless the question gives a range. Nil where the app has no such device; throws what the database throws.
    package init?(
        of hash: DeviceHash, _ question: Question, _ connection: Connection,
        interruption: Interruption = Interruption()
    ) throws(StorageError) {
        try self.init(of: hash, in: question.app, connection, interruption: interruption)
        guard question.isRangeGiven else { return }
        stretches = question.zone.intervals(from: question.from, to: question.to)[...]
    }

    /// All lines of one device. Nil where the app has no such device; throws what the database throws.
    package init?(
        of hash: DeviceHash, in app: ReportApp, _ connection: Connection,
        interruption: Interruption = Interruption()
    ) throws(StorageError) {
        let reading = Reading(connection, interruption)
        guard let row = try DeviceRow.find(hash, of: app, reading) else { return nil }
        self.app = app.id
        filter = ResourceFilter(values: ResourceFilter.dimensions.map { _ in [] })
        device = row.id
        self.hash = hash
        let span = try reading.prepare(
            """
            SELECT min(b.first_time), max(b.last_time) FROM device_batch AS k CROSS JOIN batch AS b
            WHERE k.device = ?1 AND b.id = k.batch
            """)
        try span.bind(1, row.id)
        stretches = []
        if try span.step(), let first = span.optionalInt(0), let last = span.optionalInt(1) {
            stretches = [first..<last + 1]
        }
    }

    /// Whether there is no further line.
    package var isDone: Bool { found.isEmpty && stretches.isEmpty }

    /// The next lines, whole: at least `limit` octets if there are so many, and at most one line more
    /// than that; empty only when it is done. Throws what the database throws; lines are then
    /// missing, so that it must not be asked again: who has the last cursor can go on from there.
    package mutating func next(
        _ connection: Connection, limit: Int, interruption: Interruption = Interruption()
    ) throws(StorageError) -> [UInt8] {
        let reading = Reading(connection, interruption)
        var out: [UInt8] = []
        out.reserveCapacity(limit + 4096)
        try reading.transaction { () throws(StorageError) in
            try fill(&out, reading, limit: limit)
        }
        return out
    }

    private mutating func fill(
        _ out: inout [UInt8], _ reading: Reading, limit: Int
    ) throws(StorageError) {
        let event = try reading.prepare(
            """
            SELECT e.late, n.text, e.session, e.attributes
            FROM event AS e CROSS JOIN name AS n WHERE e.id = ?1 AND n.id = e.name
            """)
        var batches = try BatchTexts(reading)
        while out.count < limit {
            try reading.check()
            while found.isEmpty, !stretches.isEmpty { try search(reading) }
            guard let row = found.popLast() else { return }
            try event.bind(1, row)
            // An event may have been erased since it was found, and its rows used again.
            if try event.step(), let batch = try batches.text(of: row >> 13), isWanted(batch) {
                try append(event, row, batch, reading.connection, to: &out)
            }
            event.reset()
        }
    }

    private func isWanted(_ batch: BatchText) -> Bool {
        batch.app == app && (hash == nil || batch.device == hash)
    }

    private func append(
        _ event: borrowing Statement, _ row: Int64, _ batch: BatchText, _ connection: Connection,
        to out: inout [UInt8]
    ) throws(StorageError) {
        let time = batch.receivedAt &- event.int(0)
        out += "{\"time\":".utf8
        JSON.Writer.append(time, to: &out)
        out += ",\"name\":".utf8
        event.withText(1) { JSON.Writer.append($0, to: &out) }
        out += batch.head
        JSON.Writer.append(row & 8191, to: &out)
        out += batch.middle
        var isFirst = true
        if let place = event.optionalInt(2) {
            guard let session = batch.session(place) else {
                throw Self.damage(connection, "an event has a session that its batch has not")
            }
            out += "\"session.id\":".utf8
            out += session
            isFirst = false
        }
        if !event.isNull(3) {
            let isRight = event.withText(3) { text in
                Self.append(attributes: text, batch, isFirst: isFirst, to: &out)
            }
            guard isRight else {
                throw Self.damage(connection, "an event has attributes that cannot be read")
            }
        }
        out += "},\"cursor\":\"".utf8
        JSON.Writer.append(time, to: &out)
        out.append(UInt8(ascii: "~"))
        JSON.Writer.append(row & 8191, to: &out)
        out += batch.tail
    }

    /// Key place and value in turn, as members. False where they cannot be read.
    private static func append(
        attributes text: Span<UInt8>, _ batch: BatchText, isFirst: Bool, to out: inout [UInt8]
    ) -> Bool {
        guard let ranges = ArrayElements.ranges(in: text, .bare), ranges.count % 2 == 0 else {
            return false
        }
        for pair in stride(from: 0, to: ranges.count, by: 2) {
            var place: Int64 = 0
            for index in ranges[pair] {
                guard (0x30...0x39).contains(text[index]), place < 1_000_000 else { return false }
                place = place * 10 + Int64(text[index] - 0x30)
            }
            guard let key = batch.key(place) else { return false }
            if pair > 0 || !isFirst { out.append(UInt8(ascii: ",")) }
            out += key
            out.append(UInt8(ascii: ":"))
            text.extracting(ranges[pair + 1]).withUnsafeBufferPointer { out += $0 }
        }
        return true
    }

    static func damage(_ connection: Connection, _ found: String) -> StorageError {
        .damaged(path: connection.path, found: found)
    }
}

extension ExportPages {
    // The batches that may have events in the window, then those events, then the first of them
    // behind the last one found. ?1 to ?4 are the filter, ?5 to ?7 app and window, ?8 to ?11 the
    // last one found, ?12 how many, ?13 the one device.
    private static func select(filtered: Bool, ofOneDevice: Bool) -> String {
        """
        SELECT e.id, b.received_at - e.late AS time, b.batch_id, e.id & 8191 AS place, d.hash
        FROM (\(ofOneDevice ? BatchWindow.selectOfDevice : BatchWindow.select)) AS b CROSS JOIN event AS e CROSS JOIN device AS d
        WHERE e.id >= b.id << 13 AND e.id < (b.id + 1) << 13 AND e.late <= b.received_at - ?6 AND e.late > b.received_at - ?7
          AND d.id = b.device
          AND (?8 IS NULL OR (b.received_at - e.late, b.batch_id, e.id & 8191, d.hash) > (?8, ?9, ?10, ?11))
          \(filtered ? "AND b.resource IN (\(ResourceFilter.matching))" : "")
        ORDER BY time, b.batch_id, place, d.hash
        LIMIT ?12
        """
    }

    /// Looks for the next events in the next window, and moves on.
    private mutating func search(_ reading: Reading) throws(StorageError) {
        guard let stretch = stretches.first else { return }
        let start = stretch.lowerBound
        let end = min(stretch.upperBound, start + width)
        let statement = try reading.prepare(
            Self.select(filtered: !filter.isEmpty, ofOneDevice: device != nil))
        if let device { try statement.bind(13, device) }
        if !filter.isEmpty { try statement.bind(filter) }
        try statement.bind(app: app, window: start..<end)
        if let position {
            try statement.bind(8, position.time)
            try statement.bindText(9, position.batchID.bytes)
            try statement.bind(10, position.index)
            try statement.bindBlob(11, position.device.bytes)
        }
        try statement.bind(12, Int64(Self.batchSize))
        var rows: [Int64] = []
        var last: ExportPosition?
        while try statement.step() {
            rows.append(statement.int(0))
            if rows.count == Self.batchSize { last = Self.position(statement) }
        }
        if let last {
            position = last
            skip(to: last.time)
            width = max(1, last.time - start)
        } else {
            // All of the window was found: what comes next is behind it.
            position = nil
            skip(to: end)
            if rows.count < Self.batchSize / 2 {
                width = min(width * (rows.count < Self.batchSize / 16 ? 8 : 2), 1 << 40)
            }
        }
        found = rows.reversed()
    }

    private static func position(_ row: borrowing Statement) -> ExportPosition? {
        guard let device = DeviceHash(row.blob(4)) else { return nil }
        return ExportPosition(
            time: row.int(1), index: row.int(3), device: device,
            batchID: ByteText(bytes: row.blob(2)))
    }

    /// Leaves out what lies before an instant.
    private mutating func skip(to time: Int64) {
        while let first = stretches.first, first.upperBound <= time { stretches.removeFirst() }
        if let first = stretches.first, first.lowerBound < time {
            stretches[stretches.startIndex] = time..<first.upperBound
        }
    }
}
