import Database
import Events
import Sealing
import Storage

/// The steps of an erasure, each within a short transaction that somebody else begins and ends.
///
/// The first detaches: the device's row gets a random hash, and `erasing` its id. From then on the
/// device is unknown, so that what comes of it is a new one's, and nothing is added to the old row: it
/// can be taken apart piece by piece, also after a crash.
struct DeviceErasure {
    let connection: Connection

    /// Detaches a device.
    /// - Parameters:
    ///   - moment: what arrived then or later is a new device's; nil: all that is there goes
    ///   - look: looks, beside a writer, whether there is anything before and after; nil: nobody else works on the file
    /// - Returns: the row to be taken apart; nil where there is nothing to erase
    func detach(
        app: Int64, hash: [UInt8], before moment: Int64?, _ look: DeviceAges? = nil
    ) throws(StorageError) -> Int64? {
        let find = try connection.prepare(
            "SELECT id, shared FROM device WHERE app = ? AND hash = ?")
        try find.bind(1, app)
        try find.bindBlob(2, hash)
        guard try find.step() else { return nil }
        let (device, isShared) = (find.int(0), find.int(1))
        find.reset()
        if let moment {
            let ages =
                if let look { look } else { try DeviceAges(device, around: moment, connection) }
            // Erased before, and back since.
            guard ages.hasOlder else { return nil }
            var hasNewer = ages.hasNewer
            if !hasNewer { hasNewer = try hasBatch(of: device, after: ages.last) }
            if hasNewer {
                let old = try addRow(app: app, isShared: isShared)
                try DeviceSplit.begin(old: old, device: device, moment: moment, connection)
                return old
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

    /// Deletes batches of a detached device with all that hangs on them, as many rows as a slice has. A batch with more
    /// is taken apart in several: nobody counts on what a detached device has.
    /// - Parameter maxWeight: about; one row at least is deleted, or a batch without any
    /// - Returns: what was deleted, and how many of the batches are gone
    func deleteBatches(
        _ batches: ArraySlice<ErasureSearch.Batch>, of device: Int64, maxWeight: Int
    ) throws(StorageError) -> (erased: ErasedDevice, count: Int) {
        var erased = ErasedDevice()
        let events = try BatchEvents(connection)
        let deleteRejections = try connection.prepare(
            """
            DELETE FROM rejection
            WHERE app = (SELECT app FROM batch WHERE id = ?1) AND batch = ?1
            """)
        let deleteRecords = try connection.prepare("DELETE FROM fingerprint WHERE batch = ?1")
        let deleteBatch = try connection.prepare("DELETE FROM batch WHERE id = ?1")
        var keys: [RepeatKey] = []
        var left = maxWeight
        var count = 0
        for batch in batches {
            let (deleted, isWhole) = try events.delete(of: batch.row, &left)
            erased.events += deleted
            if !isWhole { break }
            try deleteRejections.bind(1, batch.row)
            try deleteRejections.run()
            try deleteRecords.bind(1, batch.row)
            try deleteRecords.run()
            try deleteBatch.bind(1, batch.row)
            try deleteBatch.run()
            erased.batches += connection.changes
            if let key = batch.key { keys.append(key) }
            count += 1
            left -= Self.weightOfBatch
            if left <= 0 { break }
        }
        try connection.delete(keys)
        if !batches.isEmpty { try connection.noteRemoval(ofDevice: device) }
        return (erased, count)
    }

    /// Of a batch's rows besides its events, each on a page of its own.
    private static let weightOfBatch = 4

    /// Deletes first completions of a detached device, as many rows as a slice has.
    func deleteCompletions(of device: Int64, maxWeight: Int) throws(StorageError) {
        let find = try connection.prepare(
            "SELECT content FROM completion WHERE device = ?1 ORDER BY content")
        try find.bind(1, device)
        var last: [UInt8]?
        var left = maxWeight
        while left > 0, try find.step() {
            let content = find.blob(0)
            left -= SlicePace.weight(ofBytes: content.count)
            last = content
        }
        find.reset()
        guard let last else { return }
        let delete = try connection.prepare(
            "DELETE FROM completion WHERE device = ?1 AND content <= ?2")
        try delete.bind(1, device)
        try delete.bindText(2, last)
        try delete.run()
        try connection.noteRemoval(ofDevice: device)
    }

    /// Deletes counts of repeats of a detached device's batches.
    func delete(
        repeats: ArraySlice<RepeatRow>, of device: Int64
    ) throws(StorageError) {
        try connection.delete(repeats)
        if !repeats.isEmpty { try connection.noteRemoval(ofDevice: device) }
    }

    /// What is left once all of its batches and completions are gone, and the codes that only it used.
    func deleteDevice(_ device: Int64) throws(StorageError) {
        try connection.noteRemoval(ofDevice: device)
        try connection.change("DELETE FROM device WHERE id = ?", device)
        try connection.change("DELETE FROM erasing WHERE device = ?", device)
        try DeviceSplit.forget(device, connection)
    }

    private func hasBatch(of device: Int64, after batch: Int64) throws(StorageError) -> Bool {
        try !connection.integers(
            "SELECT 1 FROM batch WHERE id > ?1 AND device = ?2 LIMIT 1", batch, device
        ).isEmpty
    }

    private func mark(_ device: Int64) throws(StorageError) {
        try connection.change("INSERT INTO erasing (device) VALUES (?)", device)
        try connection.noteRemoval(ofDevice: device)
    }

    /// A detached row that has nothing yet.
    private func addRow(app: Int64, isShared: Int64) throws(StorageError) -> Int64 {
        let insert = try connection.prepare(
            "INSERT INTO device (app, hash, shared) VALUES (?, ?, ?) RETURNING id")
        try insert.bind(1, app)
        try insert.bindBlob(2, RandomBytes.make(16))
        try insert.bind(3, isShared)
        guard try insert.step() else { throw .unstorable(rule: "a new device has no row") }
        let row = insert.int(0)
        insert.reset()
        try mark(row)
        return row
    }
}

/// Deletes events of stored batches, piece by piece.
private struct BatchEvents: ~Copyable {
    private let connection: Connection
    private let find: Statement
    private let delete: Statement
    private let notes: DeletionNotes

    init(_ connection: Connection) throws(StorageError) {
        let find = try connection.prepare(
            """
            SELECT id, attributes FROM event
            WHERE \(EventID.isSQL("id", ofBatch: "?1")) ORDER BY id
            """)
        let delete = try connection.prepare("DELETE FROM event WHERE id >= ?1 AND id <= ?2")
        let notes = try DeletionNotes(connection)
        // All or none: a value that cannot be copied is never half there.
        self.connection = connection
        self.find = find
        self.delete = delete
        self.notes = notes
    }

    /// Deletes the first events of a batch.
    /// - Parameter left: for how many rows there is time
    /// - Returns: how many were deleted, and whether none is left
    func delete(
        of batch: Int64, _ left: inout Int
    ) throws(StorageError) -> (deleted: Int64, isWhole: Bool) {
        try find.bind(1, batch)
        var range: ClosedRange<Int64>?
        var isMore = try find.step()
        while isMore, left > 0 {
            let id = find.int(0)
            range = (range?.lowerBound ?? id)...id
            left -= SlicePace.weight(ofBytes: find.withText(1) { $0.count })
            isMore = try find.step()
        }
        find.reset()
        guard let range else { return (0, !isMore) }
        try notes.note(range, ofBatch: batch)
        try delete.bind(1, range.lowerBound)
        try delete.bind(2, range.upperBound)
        try delete.run()
        return (connection.changes, !isMore)
    }
}
