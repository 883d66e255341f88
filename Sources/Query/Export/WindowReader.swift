import Columns
import Database
import Dispatch
import Events
import Storage

/// Reads the first events of some batches in a window of time, about as many as make so many bytes of
/// lines: batch after batch, each in one range of rows.
///
///     var reader = try WindowReader(of: app, device: nil, after: line, limit: 1 << 20, reading)
///     let (events, isWhole) = try reader.read(batches, window, &resources, reading)
struct WindowReader: ~Copyable {
    private let app: Int64
    private let device: DeviceHash?
    private let after: ExportPosition?
    private let limit: Int
    private let path: String
    private let batches: Statement
    private let events: Statement
    private let findResource: Statement
    private var names: RowTexts
    private var keys: RowTexts
    private var found = ExportedEvents()
    /// The last event within the limit, once there are more; later ones are left out.
    private var last: ExportPosition?
    /// The resources in `found`, by row.
    private var resources: [Int64: Int] = [:]
    private var held: HeldBytes

    // Of the current batch:
    private var row: Int64 = -1
    /// Its index in `found`, once it has an event there.
    private var number: Int?
    /// The ranges of its sessions' ids, once an event has one.
    private var sessions: [Range<Int>] = []
    /// The rows of its attributes' keys, once an event has one.
    private var keyRows: [Int64] = []
    /// The numbers of their texts; −1: not asked for yet.
    private var keyNumbers: [Int] = []

    /// More than twice the limit is held only up to so many bytes of lines.
    private static let slack = 64 << 10
    /// How many batches are read between two checks whether the report has to end; it rests there where
    /// something is more urgent.
    private static let stride = 64

    /// - Parameters:
    ///   - device: whose events alone are read; nil: all
    ///   - after: the line after which the events come
    ///   - limit: bytes of lines
    init(
        of app: Int64, device: DeviceHash?, after: ExportPosition?, limit: Int, _ reading: Reading
    ) throws(StorageError) {
        let batches = try reading.prepare(
            """
            SELECT b.app, b.resource, d.hash, b.batch_id, b.received_at, b.sessions, b.attribute_keys
            FROM batch AS b CROSS JOIN device AS d WHERE b.id = ?1 AND d.id = b.device
            """)
        let events = try reading.prepare(
            """
            SELECT id, late, name, session, attributes FROM event
            WHERE id >= ?1 AND id <= ?2 AND late > ?3 AND late <= ?4
            """)
        let findResource = try reading.prepare(
            """
            SELECT os_name, os_version, device_model, device_manufacturer, service_version,
                app_build_id, sdk_name, sdk_version
            FROM resource WHERE id = ?1
            """)
        let names = try RowTexts(
            "SELECT text FROM name WHERE id = ?1",
            orDamaged: "an event has a name that is not there", reading)
        let keys = try RowTexts(
            "SELECT text FROM attribute_key WHERE id = ?1", suffix: ":",
            orDamaged: "a batch has a key that is not there", reading)
        // All or none: a value that cannot be copied is never half there.
        self.batches = batches
        self.events = events
        self.findResource = findResource
        self.names = names
        self.keys = keys
        self.app = app
        self.device = device
        self.after = after
        self.limit = limit
        path = reading.connection.path
        held = HeldBytes(reading.account)
    }

    /// Reads the window's events. Throws what the database throws, and if the report has to end.
    /// - Parameters:
    ///   - candidates: the batches, each once
    ///   - window: milliseconds since 1970-01-01T00:00:00Z
    ///   - resources: whose batches count
    /// - Returns: the events in order, and whether they are all of the window
    mutating func read(
        _ candidates: [BatchWindow.Candidate], _ window: Range<Int64>,
        _ resources: inout ResourceSet, _ reading: Reading
    ) throws(StorageError) -> (events: ExportedEvents, isWhole: Bool) {
        var begun = DispatchTime.now().uptimeNanoseconds
        for (index, candidate) in candidates.enumerated() {
            if index % Self.stride == 0 {
                held.set(found.bytes)
                try reading.check()
                reading.pause(after: DispatchTime.now().uptimeNanoseconds &- begun)
                begun = DispatchTime.now().uptimeNanoseconds
            }
            // The rest is not read where it is known that the window has none of it.
            try addEvents(
                EventID.all(ofBatch: candidate.row), ofBatch: candidate.row,
                maxCount: candidate.events ?? .max, window, &resources)
            if found.lineBytes > 2 * limit + Self.slack { try shrink(reading) }
        }
        held.set(found.bytes)
        try reading.check()
        try found.sort { () throws(StorageError) in try reading.check() }
        let isCut = found.cut(toBytes: limit)
        return (found, isWhole: !isCut && last == nil)
    }

    /// Reads the first of some events, until their lines take as many bytes as are asked for. Throws what the database
    /// throws, and if the report has to end.
    /// - Parameters:
    ///   - ids: in the order of their lines
    ///   - window: in which they are, milliseconds since 1970-01-01T00:00:00Z
    ///   - resources: whose batches count
    /// - Returns: those that are there, in that order; and how many were looked at
    mutating func read(
        _ ids: ArraySlice<Int64>, _ window: Range<Int64>, _ resources: inout ResourceSet,
        _ reading: Reading
    ) throws(StorageError) -> (events: ExportedEvents, count: Int) {
        var begun = DispatchTime.now().uptimeNanoseconds
        var count = 0
        for id in ids {
            if found.lineBytes >= limit { break }
            if count % Self.stride == 0 {
                held.set(found.bytes)
                try reading.check()
                reading.pause(after: DispatchTime.now().uptimeNanoseconds &- begun)
                begun = DispatchTime.now().uptimeNanoseconds
            }
            try addEvents(
                id...id, ofBatch: EventID(rawValue: id).batch, maxCount: 1, window, &resources)
            count += 1
        }
        held.set(found.bytes)
        try reading.check()
        return (found, count)
    }

    /// Keeps the first events only, of which there are enough.
    private mutating func shrink(_ reading: Reading) throws(StorageError) {
        try found.sort { () throws(StorageError) in try reading.check() }
        found = found.first(bytes: limit)
        resources.removeAll(keepingCapacity: true)
        row = -1
        last = found.position(found.events.count - 1)
        held.set(found.bytes)
    }

    /// Adds those events of a batch that are in the window and not left out.
    /// - Parameters:
    ///   - ids: their rows
    ///   - row: of the batch
    ///   - maxCount: how many are read
    private mutating func addEvents(
        _ ids: ClosedRange<Int64>, ofBatch row: Int64, maxCount: Int, _ window: Range<Int64>,
        _ resources: inout ResourceSet
    ) throws(StorageError) {
        try batches.bind(1, row)
        defer { batches.reset() }
        // It may have been erased since it was found, and its row used again.
        guard try batches.step(), batches.int(0) == app, try resources.contains(batches.int(1))
        else { return }
        let arrival = batches.int(4)
        try events.bind(1, ids.lowerBound)
        try events.bind(2, ids.upperBound)
        try events.bind(3, arrival &- window.upperBound)
        try events.bind(4, arrival &- window.lowerBound)
        defer { events.reset() }
        guard try events.step() else { return }
        guard let sender = batches.withBlob(2, { DeviceHash($0) }) else {
            throw damage("a batch has no device")
        }
        guard device == nil || device == sender else { return }
        let id = ByteText(bytes: batches.blob(3))
        if row != self.row {
            (self.row, number) = (row, nil)
            sessions.removeAll(keepingCapacity: true)
            keyRows.removeAll(keepingCapacity: true)
            names.trim()
            keys.trim()
        }
        var left = maxCount
        repeat {
            left -= 1
            let index = EventID(rawValue: events.int(0)).index
            let time = arrival &- events.int(1)
            if isLeftOut(time, index, id, sender) { continue }
            let batch: Int
            if let number {
                batch = number
            } else {
                batch = found.add(
                    ExportedEvents.Batch(
                        device: sender, id: id, receivedAt: arrival,
                        resource: try resource(batches.int(1))))
                number = batch
            }
            try addEvent(time, index, ofBatch: batch)
            if left <= 0 { break }
        } while try events.step()
    }

    /// Whether an event comes no later than `after`, or later than enough others.
    @inline(__always)
    private func isLeftOut(
        _ time: Int64, _ index: Int64, _ id: ByteText, _ device: DeviceHash
    ) -> Bool {
        if let after, time <= after.time {
            if time < after.time || !after.precedes(index, id, device) { return true }
        }
        if let last, time >= last.time {
            if time > last.time || last.precedes(index, id, device) { return true }
        }
        return false
    }

    /// Adds the current event.
    @inline(__always)
    private mutating func addEvent(
        _ time: Int64, _ index: Int64, ofBatch batch: Int
    ) throws(StorageError) {
        let name = try names.number(of: events.int(2))
        let bytes = names.bytes
        found.begin(name: bytes.span.extracting(names.range(of: name)))
        if let session = events.optionalInt(3), session >= 0 { try add(session: session) }
        if !events.isNull(4) { try addAttributes() }
        found.end(time: time, index: index, ofBatch: batch)
    }

    private mutating func add(session: Int64) throws(StorageError) {
        try batches.withText(5) { (text) throws(StorageError) in
            if sessions.isEmpty, !text.isEmpty {
                guard let ranges = ArrayElements.ranges(in: text, .bracketed) else {
                    throw damage("a batch has texts that are no JSON array")
                }
                sessions = ranges
            }
            guard session < sessions.count else {
                throw damage("an event has a session that its batch has not")
            }
            found.add(session: text.extracting(sessions[Int(session)]))
        }
    }

    /// Adds attributes, stored as key number and value in turn.
    private mutating func addAttributes() throws(StorageError) {
        if keyRows.isEmpty {
            guard let rows = batches.withText(6, { CodeList.parse($0) }) else {
                throw damage("a batch has keys that cannot be read")
            }
            keyRows = rows
            keyNumbers.removeAll(keepingCapacity: true)
            keyNumbers += repeatElement(-1, count: rows.count)
        }
        try events.withText(4) { (text) throws(StorageError) in
            var walk = ArrayElements.Walk(.bare)
            while true {
                switch walk.next(in: text) {
                case .end: return
                case .broken: throw Self.unreadable(path)
                case .element(let key):
                    guard case .element(let value) = walk.next(in: text),
                        let index = text.integer(key), index < keyRows.count
                    else { throw Self.unreadable(path) }
                    var number = keyNumbers[Int(index)]
                    if number < 0 {
                        number = try keys.number(of: keyRows[Int(index)])
                        keyNumbers[Int(index)] = number
                    }
                    let bytes = keys.bytes
                    found.add(
                        bytes.span.extracting(keys.range(of: number)), text.extracting(value))
                }
            }
        }
    }

    /// The index in `found` of a resource, by its row.
    private mutating func resource(_ row: Int64) throws(StorageError) -> Int {
        if let known = resources[row] { return known }
        try findResource.bind(1, row)
        defer { findResource.reset() }
        guard try findResource.step() else {
            throw damage("a batch has a resource that is not there")
        }
        let index = found.add(resource: ResourceMember.json(ResourceMember.all(in: findResource)))
        resources[row] = index
        return index
    }

    private func damage(_ found: String) -> StorageError { .damaged(path: path, found: found) }

    private static func unreadable(_ path: String) -> StorageError {
        .damaged(path: path, found: "an event has attributes that cannot be read")
    }
}

extension ExportPosition {
    /// Whether an event of the same time comes after it.
    func precedes(_ index: Int64, _ id: ByteText, _ device: DeviceHash) -> Bool {
        if batchID != id { return batchID < id }
        return self.index != index ? self.index < index : self.device < device
    }
}
