import Database
import Events

/// Rows of `device`: their codes, when each was first seen, and whether it is shared.
final class DeviceTable {
    /// How many devices are kept in memory: some 10 MB.
    static let capacity = 100_000

    struct Known {
        let id: Int64
        var isShared: Bool
        /// Nil before its first accepted event.
        var firstTime: Int64?
    }

    private struct Key: Hashable {
        let app: Int64
        let device: DeviceHash
    }

    private var cache = GenerationCache<Key, Known>(capacity: capacity)
    private let connection: Connection
    private let find: Statement
    private let insert: Statement
    private let findFirst: Statement
    private let setFirst: Statement
    private let setShared: Statement

    init(_ connection: Connection) throws(StorageError) {
        self.connection = connection
        find = try connection.prepare(
            "SELECT id, shared, first_time FROM device WHERE app = ? AND hash = ?")
        insert = try connection.prepare(
            """
            INSERT INTO device
                (app, hash, shared, first_time, first_batch_id, first_index, first_resource,
                 checksum)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7,
                \(CheckedTable.device.expression("?1, ?2, ?3, ?4, ?5, ?6, ?7")))
            """)
        findFirst = try connection.prepare("SELECT first_batch_id FROM device WHERE id = ?")
        setFirst = try connection.prepare(
            """
            UPDATE device
            SET first_time = ?1, first_batch_id = ?2, first_index = ?3, first_resource = ?4,
                checksum = \(CheckedTable.device.expression("app, hash, shared, ?1, ?2, ?3, ?4"))
            WHERE id = ?5
            """)
        setShared = try connection.prepare(
            """
            UPDATE device
            SET shared = 1,
                checksum = \(CheckedTable.device.expression(
                    "app, hash, 1, first_time, first_batch_id, first_index, first_resource"))
            WHERE id = ?
            """)
    }

    /// Nil for a device that no stored batch has.
    func known(_ batch: borrowing AcceptedBatch) throws(StorageError) -> Known? {
        let key = Key(app: batch.app, device: batch.device)
        if let known = cache.value(key) { return known }
        try find.bind(1, batch.app)
        try find.bindBlob(2, batch.device.bytes)
        defer { find.reset() }
        guard try find.step() else { return nil }
        let known = Known(
            id: find.int(0), isShared: find.int(1) != 0, firstTime: find.optionalInt(2))
        cache.put(key, known)
        return known
    }

    /// Makes the row.
    func add(_ batch: borrowing AcceptedBatch, resource: Int64) throws(StorageError) -> Int64 {
        let first = FirstEvent(batch)
        try insert.bind(1, batch.app)
        try insert.bindBlob(2, batch.device.bytes)
        try insert.bind(3, batch.isShared)
        try insert.bind(4, first?.time)
        try insert.bind(5, first?.batchID)
        try insert.bind(6, first?.index)
        try insert.bind(7, first == nil ? nil : resource)
        // RETURNING would make a table for its one row.
        try insert.run()
        let id = connection.lastInsertedRow
        cache.put(
            Key(app: batch.app, device: batch.device),
            Known(id: id, isShared: batch.isShared, firstTime: first?.time))
        return id
    }

    /// Takes a further batch of a known device into account.
    func update(
        _ known: Known, with batch: borrowing AcceptedBatch, resource: Int64
    ) throws(StorageError) {
        var now = known
        if batch.isShared, !known.isShared {
            try setShared.bind(1, known.id)
            try setShared.run()
            now.isShared = true
        }
        if let first = FirstEvent(batch), try isEarlier(first, than: known) {
            try setFirst.bind(1, first.time)
            try setFirst.bind(2, first.batchID)
            try setFirst.bind(3, first.index)
            try setFirst.bind(4, resource)
            try setFirst.bind(5, known.id)
            try setFirst.run()
            now.firstTime = first.time
        }
        if now.isShared != known.isShared || now.firstTime != known.firstTime {
            cache.put(Key(app: batch.app, device: batch.device), now)
        }
    }

    private func isEarlier(_ first: FirstEvent, than known: Known) throws(StorageError) -> Bool {
        guard let time = known.firstTime else { return true }
        if first.time != time { return first.time < time }
        // Rare, so ids are not worth their memory.
        try findFirst.bind(1, known.id)
        defer { findFirst.reset() }
        guard try findFirst.step() else { return true }
        return first.isBefore(batchID: findFirst.text(0))
    }

    /// After a rollback, or when others have changed the rows.
    func forget() { cache.removeAll() }

    /// When others may have deleted rows of some devices.
    func forget(_ devices: [StoredDevice]) {
        for device in devices { cache.remove(Key(app: device.app, device: device.hash)) }
    }
}

/// The earliest event of a device: by time, then by the bytes of its batch's id, then by index
/// (docs/reports.md, Sessions). A minimum, so the order in which batches come does not matter.
struct FirstEvent {
    let time: Int64
    let batchID: String
    let index: Int64

    /// Of one batch; nil if it has no accepted event.
    init?(_ batch: borrowing AcceptedBatch) {
        guard var first = batch.events.first else { return nil }
        // In order of index: of equal times the first that comes is the least.
        for event in batch.events where event.time < first.time { first = event }
        time = first.time
        batchID = batch.batchID
        index = Int64(first.index)
    }

    /// Two batches of one device never have one id, so indexes need no comparing.
    func isBefore(batchID other: String) -> Bool {
        batchID.utf8.lexicographicallyPrecedes(other.utf8)
    }
}
