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
    /// First completions whose events they had. No prune brings others meanwhile.
    let completions: [SpoolPortion.Completion]
    /// Repeats of this quarter of an hour, or a later one that is not open, may have been counted since.
    let sinceQuarter: Int64
    /// Quarters of an hour in which one that comes now may be counted, by the clocks of which it may have gone.
    let openQuarters: ClosedRange<Int64>
    /// Devices of which no batch was seen after the slice, and the newest batch that was looked at.
    let lastDevices: [StoredDevice]
    let seen: Int64
    let masterKey: MasterKey

    /// Quarters of an hour since `sinceQuarter` that are looked at; more have passed only by a clock that was set.
    private static let maxQuarters: Int64 = 64

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
        let apps = Set(
            try connection.integers(
                "SELECT app FROM batch WHERE id >= ?1 AND id <= ?2", first, last))
        guard try !cameJustNow(apps, connection) else { return (0, 0) }
        try DeletionNotes.note(allOf: batches, connection)
        try deleteKeys(connection)
        let events = try connection.change(
            "DELETE FROM event WHERE \(EventID.isSQL("id", ofBatch: "?1", to: "?2"))", first, last)
        try connection.change(
            "DELETE FROM fingerprint WHERE batch >= ?1 AND batch <= ?2", first, last)
        for app in apps {
            try connection.change(
                "DELETE FROM rejection WHERE app = ?1 AND batch >= ?2 AND batch <= ?3",
                app, first, last)
            try deleteRecentRepeats(of: app, connection)
            try connection.noteRemoval(of: app)
        }
        try connection.delete(repeats[...])
        let completion = try connection.prepare(
            """
            DELETE FROM completion WHERE device = ?1 AND content = ?2 AND event = ?3
            """)
        for completed in completions {
            try completion.bind(1, completed.device)
            try completion.bindText(2, completed.content)
            try completion.bind(3, completed.event)
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
    /// - Parameter apps: whose batches they are
    private func cameJustNow(
        _ apps: Set<Int64>, _ connection: Connection
    ) throws(StorageError) -> Bool {
        let (first, last) = (batches.lowerBound, batches.upperBound)
        let (begin, end) = (openQuarters.lowerBound, openQuarters.upperBound)
        let came = try connection.integers(
            """
            SELECT 1 FROM batch
            WHERE id >= ?1 AND id <= ?2 AND received_at / 900000 BETWEEN ?3 AND ?4 LIMIT 1
            """, first, last, begin, end)
        if !came.isEmpty { return true }
        // Quarter by quarter, each a range of the table's key: all that an app's batches repeat in an hour may be much.
        let again = try connection.prepare(
            """
            SELECT 1 FROM repeat
            WHERE app = ?1 AND quarter = ?2 AND batch >= ?3 AND batch <= ?4 LIMIT 1
            """)
        for app in apps {
            for quarter in openQuarters {
                try again.bind(1, app)
                try again.bind(2, quarter)
                try again.bind(3, first)
                try again.bind(4, last)
                defer { again.reset() }
                if try again.step() { return true }
            }
        }
        return false
    }

    /// Deletes counts of repeats that may have been added since the search: none is of an open quarter.
    private func deleteRecentRepeats(
        of app: Int64, _ connection: Connection
    ) throws(StorageError) {
        let end = min(openQuarters.lowerBound, sinceQuarter + Self.maxQuarters)
        for table in ["repeat", "repeat_change"] {
            for quarter in sinceQuarter..<max(sinceQuarter, end) {
                try connection.change(
                    """
                    DELETE FROM "\(table)"
                    WHERE app = ?1 AND quarter = ?2 AND batch >= ?3 AND batch <= ?4
                    """, app, quarter, batches.lowerBound, batches.upperBound)
            }
        }
    }

    /// Deletes the batches' keys in `repeat_key`, as far as they are entered.
    private func deleteKeys(_ connection: Connection) throws(StorageError) {
        var keys: [RepeatKey] = []
        let digest = RepeatDigest(masterKey)
        let rows = try connection.prepare(
            "SELECT id, device, batch_id FROM batch WHERE id >= ?1 AND id <= ?2")
        try rows.bind(1, batches.lowerBound)
        try rows.bind(2, batches.upperBound)
        while try rows.step() {
            let made = rows.withText(2) { digest.make(of: $0) }
            keys.append(RepeatKey(device: rows.int(1), digest: made, batch: rows.int(0)))
        }
        try connection.delete(keys)
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
