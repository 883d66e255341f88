import Database
import Dispatch
import Events
import Storage
import TimeZones

/// The lines of an export, page after page. Between pages it holds no statement and no transaction,
/// only which events come next, at most `ExportSearch.most` row ids: so a reader may be as slow as
/// it likes.
package struct ExportPages: Sendable {
    private let app: Int64
    private let filter: ResourceFilter
    /// Row of the one device whose lines they are; nil: of all.
    private let device: Int64?
    /// Its hash.
    private let hash: DeviceHash?
    /// The stretches of time still to be gone through; the first begins where the search goes on.
    private var stretches: ArraySlice<Range<Int64>>
    /// How much of a stretch is searched at once, milliseconds: so much that about as many events are
    /// found as are looked for at once. Grows where there are few.
    private var width: Int64 = 3_600_000
    /// The last event found, behind which the search goes on.
    private var position: ExportPosition?
    /// Rows of the events found and not yet written, the next one last.
    private var found: [Int64] = []
    /// What a batch takes that is searched, about: its row, also as text.
    private static let octetsOfBatch = 40
    /// Octets of a line, by those that were written last.
    private var lineLength = 512
    private let environment: ReportEnvironment

    /// The lines of a scope.
    /// - Parameter after: the line behind which they go on; nil: all
    package init(
        _ scope: QueryScope, after: ExportPosition? = nil,
        _ environment: ReportEnvironment = ReportEnvironment()
    ) {
        app = scope.app.id
        filter = scope.filter
        device = nil
        hash = nil
        position = after
        self.environment = environment
        stretches = scope.zone.intervals(from: scope.from, to: scope.to)[...]
        if let after { skip(to: after.time) }
    }

    /// The lines of one device: all, unless the question gives a range. Nil where the app has no
    /// such device; throws what the database throws.
    package init?(
        of hash: DeviceHash, _ scope: QueryScope, isRangeGiven: Bool, _ connection: Connection,
        interruption: Interruption = Interruption(),
        _ environment: ReportEnvironment = ReportEnvironment()
    ) throws(StorageError) {
        try self.init(
            of: hash, in: scope.app, connection, interruption: interruption, environment)
        guard isRangeGiven else { return }
        stretches = scope.zone.intervals(from: scope.from, to: scope.to)[...]
    }

    /// All lines of one device. Nil where the app has no such device; throws what the database
    /// throws.
    package init?(
        of hash: DeviceHash, in app: QueryApp, _ connection: Connection,
        interruption: Interruption = Interruption(),
        _ environment: ReportEnvironment = ReportEnvironment()
    ) throws(StorageError) {
        let reading = Reading(connection, interruption, environment)
        guard let row = try DeviceRow.find(hash, of: app, reading) else { return nil }
        self.app = app.id
        filter = ResourceFilter(values: ResourceFilter.dimensions.map { _ in [] })
        device = row.id
        self.hash = hash
        // It has few events: all at once, where there are not too many.
        width = 1 << 40
        self.environment = environment
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

    /// The next lines, whole: at least `limit` octets if there are so many, and at most one line
    /// more than that; empty only when it is done. Throws what the database throws; lines are then
    /// missing, so that it must not be asked again: who has the last cursor can go on from there.
    package mutating func next(
        _ connection: Connection, limit: Int, interruption: Interruption = Interruption()
    ) throws(StorageError) -> [UInt8] {
        let reading = Reading(connection, interruption, environment)
        let begun = DispatchTime.now().uptimeNanoseconds
        var out: [UInt8] = []
        out.reserveCapacity(limit + 4096)
        try reading.transaction { () throws(StorageError) in
            try fill(&out, reading, limit: limit)
        }
        // Another page is computed before long.
        if !isDone { reading.pause(after: DispatchTime.now().uptimeNanoseconds &- begun) }
        return out
    }

    private mutating func fill(
        _ out: inout [UInt8], _ reading: Reading, limit: Int
    ) throws(StorageError) {
        var events = try ExportEvents(reading)
        var names = try ExportNames(reading)
        var batches = try BatchTexts(reading)
        while out.count < limit {
            try reading.check()
            while found.isEmpty, !stretches.isEmpty { try search(reading) }
            if found.isEmpty { return }
            // As many as the page may have place for: what has none is read again for the next one.
            let count = min(found.count, (limit - out.count) / lineLength + 1)
            let start = out.count
            let left = found.count
            try events.read(found.suffix(count).reversed())
            try write(events, &names, &batches, reading.connection, to: &out, limit: limit)
            lineLength = max(128, (out.count - start) / max(1, left - found.count))
        }
    }

    /// Writes lines until the page is full, or an event has not been read.
    private mutating func write(
        _ events: borrowing ExportEvents, _ names: inout ExportNames,
        _ batches: inout BatchTexts, _ connection: Connection, to out: inout [UInt8], limit: Int
    ) throws(StorageError) {
        for slot in events.slots {
            guard out.count < limit, let row = found.last else { return }
            switch slot {
            case .unread: return
            // It was erased since it was found.
            case .gone: break
            case .event(let event):
                // Also then, and its row used again.
                let id = EventID(rawValue: row)
                guard let batch = try batches.text(of: id.batch), isWanted(batch) else { break }
                let wrong = try ExportLine.append(
                    event, index: id.index, name: try names.text(of: event.name), batch,
                    attributes: events.attributes.span, &batches, to: &out)
                if let wrong { throw Self.damage(connection, wrong) }
            }
            found.removeLast()
        }
    }

    private func isWanted(_ batch: BatchText) -> Bool {
        batch.app == app && (hash == nil || batch.device == hash)
    }

    static func damage(_ connection: Connection, _ found: String) -> StorageError {
        .damaged(path: connection.path, found: found)
    }
}

extension ExportPages {
    /// Looks for the next events in the next window, and moves on.
    private mutating func search(_ reading: Reading) throws(StorageError) {
        guard let stretch = stretches.first else { return }
        let (window, batches) = try candidates(from: stretch, reading)
        let room = HeldOctets(reading.account, batches.count * Self.octetsOfBatch)
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
    /// rows. A millisecond cannot be cut: all of its batches are held then, some 40 octets each.
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
                of: app, window, most: most, connection, environment.tails
            ) { (resource) throws(StorageError) in try resources.contains(resource) }
        }
        return try BatchWindow.rows(
            ofDevice: device, app, window, most: most, connection
        ) { (resource) throws(StorageError) in try resources.contains(resource) }
    }
}
