import Database
import Events
import Storage

/// A run of batches that one transaction deletes, with all that hangs on them. What takes a search was
/// searched before, by a connection that reads; the transaction looks again at what may have come since.
struct SpoolSlice: Sendable {
    /// The first and the last number. Others may lie between them that are no batch's.
    let batches: ClosedRange<Int64>
    /// Counts of repeats of them.
    let repeats: [RepeatRow]
    /// Repeats of this quarter of an hour or a later one may have been counted since.
    let sinceQuarter: Int64
    /// Quarters of an hour in which one that comes now may be counted, by the clocks of which it may have gone.
    let openQuarters: ClosedRange<Int64>
    /// Devices of which no batch was seen after the slice, and the last batch that there was then.
    let lastDevices: [StoredDevice]
    let seen: Int64
    let masterKey: MasterKey

    /// Deletes it, within a transaction that somebody else begins and ends.
    /// - Returns: how many batches and events there were
    func delete(from connection: Connection) throws(StorageError) -> (batches: Int, events: Int) {
        let (first, last) = (batches.lowerBound, batches.upperBound)
        // How often one came again is not handed over yet: the next time.
        let waiting = try connection.integers(
            """
            SELECT 1 FROM repeat_change
            WHERE batch >= ?1 AND batch <= ?2 AND handed_over IS NULL LIMIT 1
            """, first, last)
        if !waiting.isEmpty { return (0, 0) }
        // Marks were taken back meanwhile.
        let marked = try connection.integer("SELECT max(last_batch) FROM handed_over") ?? 0
        guard last <= marked else { return (0, 0) }
        guard try !cameJustNow(connection) else { return (0, 0) }
        try DeletionNotes.note(allOf: batches, connection)
        let owners = try deleteKeys(connection)
        let events = try connection.change(
            "DELETE FROM event WHERE \(EventID.isSQL("id", ofBatch: "?1", to: "?2"))", first, last)
        try connection.change(
            "DELETE FROM fingerprint WHERE batch >= ?1 AND batch <= ?2", first, last)
        for app in owners.apps {
            try connection.change(
                "DELETE FROM rejection WHERE app = ?1 AND batch >= ?2 AND batch <= ?3",
                app, first, last)
            for table in ["repeat", "repeat_change"] {
                try connection.change(
                    """
                    DELETE FROM "\(table)"
                    WHERE app = ?1 AND quarter >= ?2 AND batch >= ?3 AND batch <= ?4
                    """, app, sinceQuarter, first, last)
            }
            try connection.noteRemoval(of: app)
        }
        try connection.delete(repeats[...])
        let completion = try connection.prepare(
            """
            DELETE FROM completion
            WHERE device = ?1 AND \(EventID.isSQL("event", ofBatch: "?2", to: "?3"))
            """)
        for device in owners.devices {
            try completion.bind(1, device)
            try completion.bind(2, first)
            try completion.bind(3, last)
            try completion.run()
        }
        let count = try connection.change(
            "DELETE FROM batch WHERE id >= ?1 AND id <= ?2", first, last)
        try deleteDevices(connection)
        try connection.setFact(
            Connection.spoolEmptiedTo,
            max(last, try connection.fact(Connection.spoolEmptiedTo) ?? 0))
        try connection.setFact(Store.isEmptyingSpool, 1)
        return (Int(clamping: count), Int(clamping: events))
    }

    /// Whether one of them came in a quarter of an hour that is not over: should it come once more, all of that
    /// quarter has to be counted together.
    private func cameJustNow(_ connection: Connection) throws(StorageError) -> Bool {
        let (first, last) = (batches.lowerBound, batches.upperBound)
        let (begin, end) = (openQuarters.lowerBound, openQuarters.upperBound)
        let came = try connection.integers(
            """
            SELECT 1 FROM batch
            WHERE id >= ?1 AND id <= ?2 AND received_at / 900000 BETWEEN ?3 AND ?4 LIMIT 1
            """, first, last, begin, end)
        if !came.isEmpty { return true }
        let again = try connection.integers(
            """
            SELECT 1 FROM app CROSS JOIN "repeat" AS r ON r.app = app.id
                AND r.quarter BETWEEN ?3 AND ?4 AND r.batch >= ?1 AND r.batch <= ?2 LIMIT 1
            """, first, last, begin, end)
        return !again.isEmpty
    }

    private struct Owners {
        var apps: Set<Int64> = []
        var devices: Set<Int64> = []
    }

    /// Deletes the batches' keys in `repeat_key`, as far as they are entered.
    /// - Returns: whose they are
    private func deleteKeys(_ connection: Connection) throws(StorageError) -> Owners {
        var owners = Owners()
        var keys: [RepeatKey] = []
        let digest = RepeatDigest(masterKey)
        let rows = try connection.prepare(
            "SELECT id, app, device, batch_id FROM batch WHERE id >= ?1 AND id <= ?2")
        try rows.bind(1, batches.lowerBound)
        try rows.bind(2, batches.upperBound)
        while try rows.step() {
            owners.apps.insert(rows.int(1))
            owners.devices.insert(rows.int(2))
            let made = rows.withText(3) { digest.make(of: $0) }
            keys.append(RepeatKey(device: rows.int(2), digest: made, batch: rows.int(0)))
        }
        try connection.delete(keys)
        return owners
    }

    /// Devices that have no batch any more. One that is being erased is left to that.
    private func deleteDevices(_ connection: Connection) throws(StorageError) {
        if lastDevices.isEmpty { return }
        let back = Set(
            try connection.integers("SELECT device FROM batch WHERE id > ?", seen))
        let erasing = try UnfinishedErasures.devices(connection)
        let completion = try connection.prepare("DELETE FROM completion WHERE device = ?")
        let device = try connection.prepare(
            """
            DELETE FROM device
            WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM repeat_key WHERE device = ?1)
            """)
        for row in lastDevices.map(\.row) where !back.contains(row) && !erasing.contains(row) {
            try completion.bind(1, row)
            try completion.run()
            try device.bind(1, row)
            try device.run()
        }
    }
}
