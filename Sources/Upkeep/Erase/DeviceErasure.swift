import Database
import Events
import Sealing
import Storage

/// The steps of an erasure, each in a short transaction.
///
/// The first detaches: the device's row gets a random hash, and `erasing` its id. From then on the
/// device is unknown, so that what comes of it is a new one's, and nothing is added to the old row: it
/// can be taken apart piece by piece, also after a crash.
struct DeviceErasure {
    /// Rows of other tables that one step deletes.
    static let rowsPerStep = 500

    let connection: Connection

    /// Runs a step in a transaction, and says how long that took.
    func timed(
        _ step: (DeviceErasure) throws(StorageError) -> ErasedDevice
    ) throws(StorageError) -> (result: ErasedDevice, time: SliceTime) {
        try connection.timedTransaction { () throws(StorageError) in try step(self) }
    }

    /// Detaches a device.
    /// - Parameter moment: what arrived then or later is a new device's; nil: all that is there goes
    /// - Returns: the row to be taken apart; nil where there is nothing to erase
    func detach(
        app: Int64, hash: [UInt8], before moment: Int64?
    ) throws(StorageError) -> Int64? {
        let find = try connection.prepare(
            "SELECT id, shared FROM device WHERE app = ? AND hash = ?")
        try find.bind(1, app)
        try find.bindBlob(2, hash)
        guard try find.step() else { return nil }
        let (device, isShared) = (find.int(0), find.int(1))
        find.reset()
        if let moment {
            // Erased before, and back since.
            guard try has("received_at < ?2", device, moment) else { return nil }
            if try has("received_at >= ?2", device, moment) {
                return try split(device, app: app, isShared: isShared, at: moment)
            }
        }
        let rename = try connection.prepare("UPDATE device SET hash = ? WHERE id = ?")
        try rename.bindBlob(1, RandomBytes.make(16))
        try rename.bind(2, device)
        try rename.run()
        try mark(device)
        return device
    }

    /// Erasures that have begun and not ended.
    func begun() throws(StorageError) -> [Int64] {
        try connection.integers("SELECT device FROM erasing ORDER BY device")
    }

    /// Batches of a detached device that may not be in `repeat_key`. What is entered meanwhile is found there.
    /// - Parameters:
    ///   - batch: only those after this one
    ///   - maxCount: how many events, about: a batch counts as four more
    func newestBatches(
        of device: Int64, after batch: Int64, maxCount: Int
    ) throws(StorageError) -> [Int64] {
        let find = try connection.prepare(
            """
            SELECT id, accepted FROM batch
            WHERE id > max(?2, (SELECT batch FROM repeat_keys_to)) AND device = ?1
            ORDER BY id
            """)
        try find.bind(1, device)
        try find.bind(2, batch)
        var batches: [Int64] = []
        var left = Int64(maxCount)
        while left > 0, try find.step() {
            batches.append(find.int(0))
            left -= Self.weight(ofEvents: find.int(1))
        }
        return batches
    }

    /// Whether `repeat_key` has something of a device.
    func hasKeys(of device: Int64) throws(StorageError) -> Bool {
        try !connection.integers("SELECT 1 FROM repeat_key WHERE device = ? LIMIT 1", device)
            .isEmpty
    }

    /// Deletes some of a detached device's keys in `repeat_key`, and their batches.
    /// - Parameter maxCount: how many events, about: a batch counts as four more
    func deleteKeys(of device: Int64, maxCount: Int) throws(StorageError) -> ErasedDevice {
        let find = try connection.prepare(
            """
            SELECT k.digest, k.batch, coalesce(b.accepted, 0)
            FROM repeat_key AS k LEFT JOIN batch AS b ON b.id = k.batch
            WHERE k.device = ?
            """)
        try find.bind(1, device)
        var keys: [RepeatKey] = []
        var left = Int64(maxCount)
        while left > 0, try find.step() {
            keys.append(RepeatKey(device: device, digest: find.int(0), batch: find.int(1)))
            left -= Self.weight(ofEvents: find.int(2))
        }
        find.reset()
        try connection.delete(keys)
        return try deleteBatches(keys.map(\.batch), of: device)
    }

    /// What deleting a batch costs, in rows of events: some of its own, each on a page of its own. Whatever the row says.
    private static func weight(ofEvents events: Int64) -> Int64 {
        4 + min(max(events, 0), Int64(EventID.maxIndex) + 1)
    }

    /// Deletes batches of a detached device with all that hangs on them but their keys.
    func deleteBatches(
        _ batches: [Int64], of device: Int64
    ) throws(StorageError) -> ErasedDevice {
        var erased = ErasedDevice()
        let deleteEvents = try connection.prepare(
            "DELETE FROM event WHERE \(EventID.isSQL("id", ofBatch: "?1"))")
        let deleteRejections = try connection.prepare(
            """
            DELETE FROM rejection
            WHERE app = (SELECT app FROM batch WHERE id = ?1) AND batch = ?1
            """)
        let deleteRecords = try connection.prepare("DELETE FROM fingerprint WHERE batch = ?1")
        let deleteBatch = try connection.prepare("DELETE FROM batch WHERE id = ?1")
        let notes = try DeletionNotes(connection)
        for batch in batches {
            try notes.note(EventID.all(ofBatch: batch), ofBatch: batch)
            try deleteEvents.bind(1, batch)
            try deleteEvents.run()
            erased.events += connection.changes
            try deleteRejections.bind(1, batch)
            try deleteRejections.run()
            try deleteRecords.bind(1, batch)
            try deleteRecords.run()
            try deleteBatch.bind(1, batch)
            try deleteBatch.run()
            erased.batches += connection.changes
        }
        if !batches.isEmpty { try connection.noteRemoval(ofDevice: device) }
        return erased
    }

    /// Deletes counts of repeats of a detached device's batches.
    func delete(
        repeats: ArraySlice<RepeatRow>, of device: Int64
    ) throws(StorageError) {
        try connection.delete(repeats)
        if !repeats.isEmpty { try connection.noteRemoval(ofDevice: device) }
    }

    /// Deletes codes that nobody uses; what was appended since they were looked for is looked at.
    func delete(_ codes: UnusedCodes) throws(StorageError) -> ErasedDevice {
        var codes = codes
        try codes.leaveOutUsed(connection)
        var erased = ErasedDevice()
        erased.resources = Int64(codes.resources.count)
        erased.names = try codes.delete(from: connection)
        return erased
    }

    /// What is left once all batches are gone, but for the codes that only it used.
    func deleteDevice(_ device: Int64) throws(StorageError) {
        try connection.noteRemoval(ofDevice: device)
        try connection.change("DELETE FROM completion WHERE device = ?", device)
        try connection.change("DELETE FROM device WHERE id = ?", device)
        try connection.change("DELETE FROM erasing WHERE device = ?", device)
    }

    /// Whether a batch of the device meets a condition on `moment`, which is ?2.
    private func has(
        _ condition: String, _ device: Int64, _ moment: Int64
    ) throws(StorageError) -> Bool {
        let batches = try connection.integers(
            """
            SELECT 1 FROM device_batch AS k CROSS JOIN batch AS b ON b.id = k.batch
            WHERE k.device = ?1 AND \(condition) LIMIT 1
            """, device, moment)
        return !batches.isEmpty
    }

    private func mark(_ device: Int64) throws(StorageError) {
        try connection.change("INSERT INTO erasing (device) VALUES (?)", device)
        try connection.noteRemoval(ofDevice: device)
    }

    /// A row of its own for what arrived before. The device keeps its first event, unless that goes:
    /// then it is the first of what is left. That it is shared stays: which of its batches said so is
    /// not known any more.
    private func split(
        _ device: Int64, app: Int64, isShared: Int64, at moment: Int64
    ) throws(StorageError) -> Int64 {
        let insert = try connection.prepare(
            "INSERT INTO device (app, hash, shared) VALUES (?, ?, ?) RETURNING id")
        try insert.bind(1, app)
        try insert.bindBlob(2, RandomBytes.make(16))
        try insert.bind(3, isShared)
        guard try insert.step() else { throw .unstorable(rule: "a new device has no row") }
        let old = insert.int(0)
        insert.reset()
        try mark(old)
        let losesFirst = try has(
            "received_at < ?2 AND batch_id = (SELECT first_batch_id FROM device WHERE id = ?1)",
            device, moment)
        try connection.change(
            """
            DELETE FROM completion WHERE device = ?1
                AND (SELECT received_at FROM batch WHERE id = \(EventID.batchSQL("event"))) < ?2
            """, device, moment)
        try connection.change(
            """
            UPDATE batch SET device = ?1
            WHERE id IN (SELECT batch FROM device_batch WHERE device = ?2) AND received_at < ?3
            """, old, device, moment)
        try connection.change(
            """
            UPDATE repeat_key SET device = ?1
            WHERE device = ?2 AND (SELECT device FROM batch WHERE id = repeat_key.batch) = ?1
            """, old, device)
        // Segments still have the old device of earlier events.
        try SegmentTable.removeAll(of: app, connection)
        // Not otherwise: a prune may have deleted the event.
        guard losesFirst else { return old }
        try connection.change(
            """
            UPDATE device SET (first_time, first_batch_id, first_index, first_resource) = (
                SELECT b.received_at - e.late, b.batch_id, \(EventID.indexSQL("e.id")), b.resource
                FROM device_batch AS k CROSS JOIN batch AS b CROSS JOIN event AS e
                WHERE k.device = ?1 AND b.id = k.batch
                    AND \(EventID.isSQL("e.id", ofBatch: "b.id"))
                ORDER BY b.received_at - e.late, b.batch_id, \(EventID.indexSQL("e.id")) LIMIT 1)
            WHERE id = ?1
            """, device)
        try connection.change(CheckedTable.device.refresh(where: "id = ?1"), device)
        return old
    }
}
