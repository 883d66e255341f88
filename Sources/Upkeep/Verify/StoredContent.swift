import Database
import Events
import Storage

/// Reads stored batches back and hashes what they have now.
final class StoredContent {
    /// What was found of one batch.
    struct Found {
        var columns: BatchDigest.Columns
        /// As stored.
        var checksum: Int64
        /// Of what is there.
        var actual: Int64
        /// Events that are there.
        var events: Int64
        /// Their span; nil without any.
        var span: ClosedRange<Int64>?
        /// Row ids.
        var app: Int64
        var device: Int64
        var key: Int64?
        /// Events that were rejected, by their rows in `rejection`.
        var rejections: Int64
        /// Rows of its events' names.
        var names: Set<Int64> = []
        /// Rows of the keys that it lists.
        var attributeKeys: [Int64] = []
    }

    private let row: Statement
    private let events: Statement
    private let rejections: Statement
    private var names: TextHashes
    private var attributeKeys: TextHashes
    private var resources: TextHashes
    private var apps: TextHashes
    private var keys: TextHashes

    init(_ connection: Connection) throws(StorageError) {
        row = try connection.prepare(
            """
            SELECT app, device, resource, batch_id, received_at, clock_shift, profile, key, sequence,
                dropped_events, body_bytes, accepted, rejected, first_time, last_time, sessions,
                attribute_keys, pruned, checksum, (SELECT hash FROM device WHERE id = batch.device)
            FROM batch WHERE id = ?
            """)
        events = try connection.prepare(
            """
            SELECT \(EventID.indexSQL("id")), name, late, session, attributes FROM event
            WHERE \(EventID.isSQL("id", ofBatch: "?1"))
            ORDER BY id
            """)
        rejections = try connection.prepare(
            "SELECT code, events, first_index FROM rejection WHERE app = ? AND batch = ?")
        names = try TextHashes(["text"], of: "name", on: connection)
        attributeKeys = try TextHashes(["text"], of: "attribute_key", on: connection)
        resources = try TextHashes(ResourceTable.resourceColumns, of: "resource", on: connection)
        apps = try TextHashes(["name"], of: "app", on: connection)
        keys = try TextHashes(["name"], of: "key", on: connection)
    }

    /// Nil where there is no such batch.
    /// - Parameter asIfPruned: with the columns as they are to be for the events that are left.
    func read(_ number: Int64, asIfPruned: Bool = false) throws(StorageError) -> Found? {
        try row.bind(1, number)
        defer { row.reset() }
        guard try row.step() else { return nil }
        var found = try columns(number)
        let rest =
            asIfPruned ? try self.rest(of: number, receivedAt: found.columns.receivedAt) : nil
        if let rest {
            found.columns.pruned = found.columns.accepted - rest.count
            found.columns.firstTime = rest.first
            found.columns.lastTime = rest.last
        }
        var digest = BatchDigest(found.columns)
        try addTexts(to: &digest, withLists: rest?.count != 0, &found)
        try addEvents(of: number, to: &digest, &found)
        try addRejections(of: number, to: &digest, &found)
        found.actual = digest.value
        return found
    }

    /// After the rows that codes refer to may have changed.
    func forget() {
        names.forget()
        attributeKeys.forget()
        resources.forget()
        apps.forget()
        keys.forget()
    }

    private func columns(_ number: Int64) throws(StorageError) -> Found {
        let device = row.blob(19)
        return Found(
            columns: BatchDigest.Columns(
                number: number, app: try apps.hash(of: row.int(0)),
                // Another length is damage, which the checksum then shows.
                device: DeviceHash(device) ?? DeviceHash(high: 0, low: 0),
                resource: try resources.hash(of: row.int(2)), receivedAt: row.int(4),
                clockShift: row.int(5), profile: row.int(6),
                key: try row.optionalInt(7).map { (id) throws(StorageError) in
                    try keys.hash(of: id)
                },
                sequence: row.optionalInt(8), droppedEvents: row.int(9), bodyBytes: row.int(10),
                accepted: row.int(11), rejected: row.int(12), pruned: row.int(17),
                firstTime: row.optionalInt(13), lastTime: row.optionalInt(14)),
            checksum: row.int(18), actual: 0, events: 0, span: nil, app: row.int(0),
            device: row.int(1), key: row.optionalInt(7), rejections: 0)
    }

    private func addTexts(
        to digest: inout BatchDigest, withLists: Bool, _ found: inout Found
    ) throws(StorageError) {
        let keys = row.isNull(16) || !withLists ? nil : try keyHashes(&found)
        row.withText(3) { id in
            row.withText(15) { sessions in
                digest.add(
                    batchID: id, sessions: row.isNull(15) || !withLists ? nil : sessions,
                    attributeKeys: keys)
            }
        }
    }

    /// Of the keys in `batch.attribute_keys`; none where they cannot be read.
    private func keyHashes(_ found: inout Found) throws(StorageError) -> [UInt64] {
        var hashes: [UInt64] = []
        found.attributeKeys = row.withText(16) { CodeList.parse($0) } ?? []
        for code in found.attributeKeys {
            hashes.append(try attributeKeys.hash(of: code))
        }
        return hashes
    }

    private func addEvents(
        of number: Int64, to digest: inout BatchDigest, _ found: inout Found
    ) throws(StorageError) {
        try events.bind(1, number)
        defer { events.reset() }
        while try events.step() {
            let time = found.columns.receivedAt &- events.int(2)
            let name = try names.hash(of: events.int(1))
            found.names.insert(events.int(1))
            let index = events.int(0)
            let session = events.optionalInt(3)
            if events.isNull(4) {
                digest.add(index: index, name: name, time: time, session: session, attributes: nil)
            } else {
                events.withText(4) { text in
                    text.withUnsafeBytes {
                        digest.add(
                            index: index, name: name, time: time, session: session, attributes: $0)
                    }
                }
            }
            found.events += 1
            found.span =
                found.span.map { min($0.lowerBound, time)...max($0.upperBound, time) }
                ?? time...time
        }
    }

    private func addRejections(
        of number: Int64, to digest: inout BatchDigest, _ found: inout Found
    ) throws(StorageError) {
        try rejections.bind(1, found.app)
        try rejections.bind(2, number)
        defer { rejections.reset() }
        while try rejections.step() {
            let count = rejections.int(1)
            let first = rejections.int(2)
            rejections.withText(0) { digest.add(rejection: $0, events: count, firstIndex: first) }
            found.rejections &+= count
        }
    }

    /// How many events a batch has, and their span.
    private func rest(
        of number: Int64, receivedAt: Int64
    ) throws(StorageError) -> (count: Int64, first: Int64?, last: Int64?) {
        try events.bind(1, number)
        defer { events.reset() }
        var count: Int64 = 0
        var first: Int64?
        var last: Int64?
        while try events.step() {
            let time = receivedAt &- events.int(2)
            count += 1
            first = min(first ?? time, time)
            last = max(last ?? time, time)
        }
        return (count, first, last)
    }
}
