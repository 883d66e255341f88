import Columns
import Database
import Events
import Storage

/// The events that an export has found and not yet passed on. Between pages it holds no statement
/// and no transaction, only the row ids of the next events, at most `ExportSearch.maxEvents`.
struct EventsAhead: Sendable {
    private let app: Int64
    private let filter: ResourceFilter
    /// Row of the one device whose events are exported; nil: all devices.
    private let device: Int64?
    /// The hash of that device.
    private let hash: DeviceHash?
    /// The stretches of time still to search; the first begins where the search resumes.
    private var stretches: ArraySlice<Range<Int64>>
    /// How many milliseconds of a stretch one search covers: it adapts, so that a search finds
    /// about as many events as it may, and grows where events are rare.
    private var width: Int64 = 3_600_000
    /// The last event found, after which the search resumes.
    private var position: ExportPosition?
    /// Rows of the events found and not yet passed on, the next one last.
    private var found: [Int64] = []
    /// Bytes that a searched batch takes, about: its row, also as text.
    private static let bytesOfBatch = 40

    /// The events after a cursor's position, none of them found yet. Throws what the database
    /// throws.
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
            // A device has few events: one search finds all, unless there are too many.
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

    /// The time from the first to the last event of a device.
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

    /// Passes the next events to `sink` until it is full. Throws what the database throws.
    /// - Returns: the position of the last of them; nil without events
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
            try pass(events, &batches, to: &sink, &last, reading)
        }
        guard let (row, time) = last else { return nil }
        let id = EventID(rawValue: row)
        return try batches.batch(id.batch).map { batch in
            ExportPosition(
                time: time, index: id.index, device: batch.exported.device,
                batchID: batch.exported.batchID)
        }
    }

    /// Passes events on until the sink is full, or one has not been read.
    private mutating func pass(
        _ events: borrowing ExportEvents, _ batches: inout StoredBatches,
        to sink: inout some EventSink, _ last: inout (row: Int64, time: Int64)?, _ reading: Reading
    ) throws(StorageError) {
        for slot in events.slots {
            guard !sink.isFull, let row = found.last else { return }
            switch slot {
            case .unread: return
            // The event was erased after the search found it.
            case .gone: break
            case .event(let stored):
                // It may have been erased, and its row reused.
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

    /// Passes on attributes, stored as key number and value in turn. False where they cannot be
    /// parsed.
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
    /// Searches the next window for the next events, and moves on.
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
            // The search found all of the window: what comes next is after it.
            position = nil
            skip(to: window.upperBound)
            if rows.count < ExportSearch.maxEvents / 2 {
                width = min(width * (rows.count < ExportSearch.maxEvents / 16 ? 8 : 2), 1 << 40)
            }
        }
        found = rows.reversed()
    }

    /// The window to search next, cut until it has no more batches than one search may cover, and
    /// their rows. A millisecond cannot be cut: then this holds all of its batches, some 40 bytes
    /// each.
    private mutating func candidates(
        from stretch: Range<Int64>, _ reading: Reading
    ) throws(StorageError) -> (window: Range<Int64>, rows: [Int64]) {
        var resources = try ResourceSet(filter, reading)
        let start = stretch.lowerBound
        width = min(width, stretch.upperBound - start)
        while true {
            let window = start..<start + width
            let limit = width > 1 ? ExportSearch.maxEvents : .max
            let rows = try reading.batchRows(
                of: app, device: device, &resources, window, limit: limit)
            if let rows { return (window, rows) }
            width /= 2
        }
    }

    /// Skips what lies before an instant.
    private mutating func skip(to time: Int64) {
        while let first = stretches.first, first.upperBound <= time { stretches.removeFirst() }
        if let first = stretches.first, first.lowerBound < time {
            stretches[stretches.startIndex] = time..<first.upperBound
        }
    }
}

extension Reading {
    /// Rows of the batches of an app, or of a device, with events in a stretch of time
    /// (`BatchWindow.rows`). Throws what the database throws, and if the report has to end.
    func batchRows(
        of app: Int64, device: Int64?, _ resources: inout ResourceSet, _ window: Range<Int64>,
        limit: Int
    ) throws(StorageError) -> [Int64]? {
        try check()
        guard let device else {
            return try BatchWindow.rows(
                of: app, window, limit: limit, connection, environment.tails
            ) { (resource) throws(StorageError) in try resources.contains(resource) }
        }
        return try BatchWindow.rows(
            ofDevice: device, app, window, limit: limit, connection
        ) { (resource) throws(StorageError) in try resources.contains(resource) }
    }
}
