import Database
import Engine
import Events
import Storage
import Upkeep

/// Reads the spool, the node's own database, into rows of the engine, on a connection of its own that
/// reads. Between two calls it holds no statement open. One thread at a time may use it.
package final class SpoolReader {
    private let connection: Connection
    private let node: [UInt8]
    private var words: SpoolWords
    private let nodeBits: UInt64
    private let batches: Statement
    private let rejections: Statement
    private let completions: Statement
    private let repeats: Statement
    private var events: SpoolEvents
    private var row = BatchRow()

    // Columns of the statement below.
    private enum Column {
        static let id: Int32 = 0
        static let app: Int32 = 1
        static let device: Int32 = 2
        static let resource: Int32 = 3
        static let batchID: Int32 = 4
        static let receivedAt: Int32 = 5
        static let clockShift: Int32 = 6
        static let profile: Int32 = 7
        static let key: Int32 = 8
        static let sequence: Int32 = 9
        static let droppedEvents: Int32 = 10
        static let bodyBytes: Int32 = 11
        static let accepted: Int32 = 12
        static let rejected: Int32 = 13
        static let firstTime: Int32 = 14
        static let lastTime: Int32 = 15
        static let sessions: Int32 = 16
        static let attributeKeys: Int32 = 17
        static let pruned: Int32 = 18
        static let hash: Int32 = 19
        static let shared: Int32 = 20
        static let deviceFirstTime: Int32 = 21
        static let isDeviceFirst: Int32 = 22
        static let isErasing: Int32 = 23
    }

    private static let select = """
        SELECT b.id, b.app, b.device, b.resource, b.batch_id, b.received_at, b.clock_shift, b.profile,
            b.key, b.sequence, b.dropped_events, b.body_bytes, b.accepted, b.rejected, b.first_time,
            b.last_time, b.sessions, b.attribute_keys, b.pruned, d.hash, d.shared, d.first_time,
            d.first_batch_id IS b.batch_id, \(DeviceSplit.isErasing)
        FROM batch AS b LEFT JOIN device AS d ON d.id = b.device
        WHERE b.id > ?1 ORDER BY b.id
        """

    /// - Parameters:
    ///   - connection: that nobody else uses
    ///   - node: the node's name
    package init(_ connection: Connection, node: String) throws(StorageError) {
        self.connection = connection
        self.node = Array(node.utf8)
        nodeBits = RowVersion.bits(ofNode: node)
        words = try SpoolWords(connection)
        events = try SpoolEvents(connection)
        batches = try connection.prepare(Self.select)
        rejections = try connection.prepare(
            "SELECT code, events FROM rejection WHERE app = ?1 AND batch = ?2")
        completions = try connection.prepare(
            """
            SELECT content, time FROM completion
            WHERE device = ?1 AND \(EventID.isSQL("event", ofBatch: "?2"))
            """)
        repeats = try connection.prepare(
            "SELECT times, body_bytes FROM repeat WHERE app = ?1 AND quarter = ?2 AND batch = ?3")
    }

    /// The batches that follow one, in the order stored, of one state of the database.
    /// - Parameters:
    ///   - batch: the row of the last batch that was handed over; 0: all are to be
    ///   - shards: how many there are
    ///   - number: the unit's
    ///   - limit: of the last prune, milliseconds since 1970; nil: none has been
    /// - Returns: nil where no batch follows
    /// - Throws: what the database throws, and `damaged` where it is not what was written
    package func unit(
        after batch: Int64, shards: Int, number: UInt64, prunedTo limit: Int64?,
        _ size: SpoolUnit.Limit = SpoolUnit.Limit()
    ) throws(StorageError) -> SpoolUnit? {
        try connection.snapshot { () throws(StorageError) in
            var unit = SpoolUnit(after: batch, shards: shards)
            words.forget()
            events.forget()
            row.node = node
            row.unit = number
            try batches.bind(1, batch)
            defer { batches.reset() }
            while try batches.step() {
                let id = batches.int(Column.id)
                if batches.int(Column.isErasing) != 0 {
                    unit.lastBatch = id
                    continue
                }
                guard unit.batches < size.batches, unit.bytes < size.bytes else {
                    unit.isFull = true
                    break
                }
                try readRow(id, prunedTo: limit)
                guard unit.batches == 0 || unit.bytes + row.byteCount <= size.bytes else {
                    unit.isFull = true
                    break
                }
                let arrival = try arrival(of: id)
                unit.add(row, arrival, bodyBytes: row.bodyBytes)
                unit.lastBatch = id
            }
            return unit.lastBatch == batch ? nil : unit
        }
    }

    /// The batch on which the statement stands, with its events.
    private func readRow(_ id: Int64, prunedTo limit: Int64?) throws(StorageError) {
        guard let device = batches.withBlob(Column.hash, { DeviceKey($0) }) else {
            throw .damaged(path: connection.path, found: "a batch has a device that is not there")
        }
        let app = batches.int(Column.app)
        row.app = try words.app(app)
        row.device = device
        row.batchID = batches.blob(Column.batchID)
        row.receivedAt = batches.int(Column.receivedAt)
        row.version = RowVersion.ofBatch(
            receivedAt: row.receivedAt, prunedTo: limit, node: nodeBits)
        row.clockShift = batches.int(Column.clockShift)
        let profile = UInt8(exactly: batches.int(Column.profile)).flatMap {
            Profile(rawValue: $0)
        }
        guard let profile else {
            throw .damaged(path: connection.path, found: "a batch has a profile that is none")
        }
        row.profile = Array(profile.name.utf8)
        row.key = []
        if let key = batches.optionalInt(Column.key) { row.key = try words.ingestKey(key) }
        row.sequence = batches.optionalInt(Column.sequence) ?? -1
        row.droppedEvents = batches.int(Column.droppedEvents)
        row.bodyBytes = batches.int(Column.bodyBytes)
        row.accepted = UInt32(clamping: batches.int(Column.accepted))
        row.rejected = UInt32(clamping: batches.int(Column.rejected))
        row.isShared = batches.int(Column.shared) != 0
        row.resource = try words.resource(batches.int(Column.resource))
        row.lastTime = batches.int(Column.lastTime)
        try readCounts(id, app: app)
        row.events.removeAll()
        try batches.withText(Column.attributeKeys) { (keys) throws(StorageError) in
            try batches.withText(Column.sessions) { (sessions) throws(StorageError) in
                try events.read(
                    batch: id, receivedAt: row.receivedAt, keyList: keys, sessionList: sessions,
                    &words, into: &row.events)
            }
        }
    }

    /// Rejected events, first completions that were pruned, and the first event ever.
    private func readCounts(_ id: Int64, app: Int64) throws(StorageError) {
        row.rejections.removeAll(keepingCapacity: true)
        row.completions.removeAll(keepingCapacity: true)
        if row.rejected > 0 {
            try rejections.bind(1, app)
            try rejections.bind(2, id)
            defer { rejections.reset() }
            while try rejections.step() {
                row.rejections.append(
                    .init(
                        code: rejections.blob(0), events: UInt32(clamping: rejections.int(1))))
            }
        }
        var first = batches.optionalInt(Column.firstTime)
        if batches.int(Column.pruned) > 0 {
            let device = batches.int(Column.device)
            try completions.bind(1, device)
            try completions.bind(2, id)
            defer { completions.reset() }
            while try completions.step() {
                let time = completions.int(1)
                row.completions.append(.init(content: completions.blob(0), time: time))
                first = min(first ?? time, time)
            }
            // Of events that are gone it is known when the device's first was, and no other needs to be.
            if batches.int(Column.isDeviceFirst) != 0,
                let time = batches.optionalInt(Column.deviceFirstTime)
            {
                first = min(first ?? time, time)
            }
        }
        row.firstTime = first ?? 0
    }

    /// The batch in `row` as it came in the quarter of an hour in which it was stored.
    private func arrival(of id: Int64) throws(StorageError) -> ArrivalRow {
        var arrival = ArrivalRow(
            app: row.app, quarter: QuarterHour.number(of: row.receivedAt), device: row.device,
            batchID: row.batchID, node: node, times: 1, bodyBytes: row.bodyBytes,
            resource: row.resource)
        try repeats.bind(1, batches.int(Column.app))
        try repeats.bind(2, arrival.quarter)
        try repeats.bind(3, id)
        defer { repeats.reset() }
        if try repeats.step() {
            arrival.times = 1 + UInt64(clamping: repeats.int(0))
            arrival.bodyBytes = arrival.bodyBytes.addingSaturated(repeats.int(1))
        }
        return arrival
    }
}

extension SpoolUnit {
    mutating func add(_ row: borrowing BatchRow, _ arrival: ArrivalRow, bodyBytes: Int64) {
        let shard = row.device.shard(of: shards.count)
        row.append(to: &shards[shard].batches)
        shards[shard].batchCount += 1
        arrival.append(to: &shards[shard].arrivals)
        shards[shard].arrivalCount += 1
        batches += 1
        events += row.events.count
        self.bodyBytes = self.bodyBytes.addingSaturated(bodyBytes)
        lastArrival = max(lastArrival ?? row.receivedAt, row.receivedAt)
    }
}

extension Int64 {
    /// The sum, or the nearest that there is.
    func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, overflows) = addingReportingOverflow(other)
        if !overflows { return sum }
        return other < 0 ? .min : .max
    }
}
