import Columns
import Database
import Events
import Storage

/// What an export has found and not yet handed on. Between pages it holds no statement and no
/// transaction, only which events come next, at most `ExportSearch.most` row ids.
struct EventsAhead: Sendable {
    private let app: Int64
    private let filter: ResourceFilter
    /// Row of the one device whose events they are; nil: of all.
    private let device: Int64?
    /// Its hash.
    private let hash: DeviceHash?
    /// The stretches of time still to be gone through; the first begins where the search goes on.
    private var stretches: ArraySlice<Range<Int64>>
    /// How much of a stretch is searched at once, milliseconds: so much that about as many events are
    /// found as are looked for at once. Grows where there are few.
    private var width: Int64 = 3_600_000
    /// The last event found, after which the search goes on.
    private var position: ExportPosition?
    /// Rows of the events found and not yet handed on, the next one last.
    private var found: [Int64] = []
    /// What a batch takes that is searched, about: its row, also as text.
    private static let bytesOfBatch = 40

    /// Nothing yet, of what comes after a cursor's position. Throws what the database throws.
    init(_ cursor: EventCursor, _ reading: Reading) throws(StorageError) {
        app = cursor.app.id
        filter = cursor.filter
        hash = cursor.device
        position = cursor.position
        stretches = (cursor.stretches ?? [])[...]
        if let hash {
            // A device that is gone has no events.
            let row = try DeviceRow.find(hash, of: cursor.app, reading)
            device = row?.id
            // It has few events: all at once, where there are not too many.
            width = 1 << 40
            if let row, cursor.stretches == nil {
                stretches = try Self.span(of: row.id, reading).map { [$0] } ?? []
            }
            if row == nil { stretches = [] }
        } else {
            device = nil
        }
        if let position { skip(to: position.time) }
    }

    /// From the first to the last event of a device.
    private static func span(
        of device: Int64, _ reading: Reading
    ) throws(StorageError) -> Range<Int64>? {
        let span = try reading.prepare(
            """
            SELECT min(b.first_time), max(b.last_time) FROM device_batch AS k CROSS JOIN batch AS b
            WHERE k.device = ?1 AND b.id = k.batch
            """)
        try span.bind(1, device)
        guard try span.step(), let first = span.optionalInt(0), let last = span.optionalInt(1)
        else { return nil }
        return first..<last + 1
    }

    /// Whether no event is left.
    var isDone: Bool { found.isEmpty && stretches.isEmpty }

    /// Hands the next events to `sink`, as many as it wants.
    /// - Returns: where the last of them stands; nil where there was none. Throws what the database throws
    mutating func take(
        to sink: inout some EventSink, _ reading: Reading
    ) throws(StorageError) -> ExportPosition? {
        var events = try ExportEvents(reading)
        var batches = try StoredBatches(reading)
        var last: (row: Int64, time: Int64)?
        while !sink.isFull {
            try reading.check()
            while found.isEmpty, !stretches.isEmpty { try search(reading) }
            if found.isEmpty { break }
            try events.read(found.suffix(min(found.count, sink.wanted)).reversed())
            try hand(events, &batches, to: &sink, &last, reading)
        }
        guard let (row, time) = last else { return nil }
        let id = EventID(rawValue: row)
        return try batches.batch(id.batch).map { batch in
            ExportPosition(
                time: time, index: id.index, device: batch.exported.device,
                batchID: batch.exported.batchID)
        }
    }

    /// Hands events on until no more are wanted, or one has not been read.
    private mutating func hand(
        _ events: borrowing ExportEvents, _ batches: inout StoredBatches,
        to sink: inout some EventSink, _ last: inout (row: Int64, time: Int64)?, _ reading: Reading
    ) throws(StorageError) {
        for slot in events.slots {
            guard !sink.isFull, let row = found.last else { return }
            switch slot {
            case .unread: return
            // It was erased since it was found.
            case .gone: break
            case .event(let stored):
                // Also then, and its row used again.
                let id = EventID(rawValue: row)
                guard let batch = try batches.batch(id.batch), isWanted(batch) else { break }
                let session = batch.session(stored.session)
                if stored.session >= 0, session == nil {
                    throw Self.damage(reading, "an event has a session that its batch has not")
                }
                let time = batch.exported.receivedAt &- stored.late
                sink.begin(
                    time: time, index: id.index, name: try batches.name(stored.name),
                    session: session, of: batch.exported)
                if let range = stored.attributes {
                    let text = events.attributes.span.extracting(range)
                    guard try Self.attributes(text, of: batch, &batches, to: &sink) else {
                        throw Self.damage(reading, "an event has attributes that cannot be read")
                    }
                }
                sink.end()
                last = (row, time)
            }
            found.removeLast()
        }
    }

    /// Key number and value in turn. False where they cannot be read.
    private static func attributes(
        _ text: Span<UInt8>, of batch: StoredBatch, _ batches: inout StoredBatches,
        to sink: inout some EventSink
    ) throws(StorageError) -> Bool {
        var walk = ArrayElements.Walk(.bare)
        while true {
            switch walk.next(in: text) {
            case .end: return true
            case .broken: return false
            case .element(let key):
                guard case .element(let value) = walk.next(in: text), key.count < 7,
                    let number = text.integer(key), let row = batch.key(Int(number))
                else { return false }
                sink.attribute(try batches.key(row), text.extracting(value))
            }
        }
    }

    private func isWanted(_ batch: StoredBatch) -> Bool {
        batch.app == app && (hash == nil || batch.exported.device == hash)
    }

    private static func damage(_ reading: Reading, _ found: String) -> StorageError {
        .damaged(path: reading.connection.path, found: found)
    }
}

extension EventsAhead {
    /// Looks for the next events in the next window, and moves on.
    private mutating func search(_ reading: Reading) throws(StorageError) {
        guard let stretch = stretches.first else { return }
        let (window, batches) = try candidates(from: stretch, reading)
        let room = HeldBytes(reading.account, batches.count * Self.bytesOfBatch)
        defer { withExtendedLifetime(room) {} }
        try reading.check()
        var search = try ExportSearch(batches, window, after: position, reading)
        let (rows, last) = try search.run(reading)
        if let last {
            position = last
            skip(to: last.time)
            width = max(1, last.time - window.lowerBound)
        } else {
            // All of the window was found: what comes next is behind it.
            position = nil
            skip(to: window.upperBound)
            if rows.count < ExportSearch.most / 2 {
                width = min(width * (rows.count < ExportSearch.most / 16 ? 8 : 2), 1 << 40)
            }
        }
        found = rows.reversed()
    }

    /// The window to be searched next, cut until it has no more batches than are searched at once, and their
    /// rows. A millisecond cannot be cut: all of its batches are held then, some 40 bytes each.
    private mutating func candidates(
        from stretch: Range<Int64>, _ reading: Reading
    ) throws(StorageError) -> (window: Range<Int64>, rows: [Int64]) {
        var resources = try ResourceSet(filter, reading)
        let start = stretch.lowerBound
        width = min(width, stretch.upperBound - start)
        while true {
            let window = start..<start + width
            let most = width > 1 ? ExportSearch.most : .max
            let rows = try reading.batchRows(
                of: app, device: device, &resources, window, most: most)
            if let rows { return (window, rows) }
            width /= 2
        }
    }

    /// Leaves out what lies before an instant.
    private mutating func skip(to time: Int64) {
        while let first = stretches.first, first.upperBound <= time { stretches.removeFirst() }
        if let first = stretches.first, first.lowerBound < time {
            stretches[stretches.startIndex] = time..<first.upperBound
        }
    }
}

extension Reading {
    /// Rows of the batches of an app, or of a device, with events in a stretch of time (`BatchWindow.rows`).
    /// Throws what the database throws, and if the report is to end.
    func batchRows(
        of app: Int64, device: Int64?, _ resources: inout ResourceSet, _ window: Range<Int64>,
        most: Int
    ) throws(StorageError) -> [Int64]? {
        try check()
        guard let device else {
            return try BatchWindow.rows(
                of: app, window, limit: most, connection, environment.tails
            ) { (resource) throws(StorageError) in try resources.contains(resource) }
        }
        return try BatchWindow.rows(
            ofDevice: device, app, window, limit: most, connection
        ) { (resource) throws(StorageError) in try resources.contains(resource) }
    }
}
