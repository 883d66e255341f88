import Database
import Events
import Storage

/// A device of which only goes what arrived before a moment: that is given to a row of its own, step by step, which is
/// then taken apart as a detached device is. Facts of `meta` say what is under way, also after a crash.
package struct DeviceSplit: Sendable {
    /// Row of what goes.
    let old: Int64
    /// Row of the device, which stays.
    let device: Int64
    /// Milliseconds since 1970-01-01T00:00:00Z.
    let moment: Int64
    /// The newest batch as the split began: later ones stay.
    let last: Int64

    /// How many batches or completions are found at once.
    private static let rowsAtOnce = 4_096

    private static func deviceFact(_ old: Int64) -> String { "split_of_\(old)" }
    private static func momentFact(_ old: Int64) -> String { "split_before_\(old)" }
    private static func lastFact(_ old: Int64) -> String { "split_to_\(old)" }

    /// What a row has still to get; nil: nothing.
    static func unfinished(
        _ old: Int64, _ connection: Connection
    ) throws(StorageError) -> DeviceSplit? {
        guard let device = try connection.fact(deviceFact(old)),
            let moment = try connection.fact(momentFact(old)),
            let last = try connection.fact(lastFact(old))
        else { return nil }
        return DeviceSplit(old: old, device: device, moment: moment, last: last)
    }

    /// The devices that are being split.
    static func devices(_ connection: Connection) throws(StorageError) -> [Int64] {
        try connection.integers(
            "SELECT value FROM meta WHERE name > 'split_of_' AND name < 'split_of`'")
    }

    /// SQL: whether the batch `b` is being erased, be it that its device's split has yet to reach it. Nothing of such a
    /// batch is handed over. Where nothing is split, one look into `meta` for each batch.
    package static let isErasing = """
        (b.device IN (SELECT device FROM erasing) OR EXISTS (
            SELECT 1 FROM meta AS s
                CROSS JOIN meta AS m ON m.name = 'split_before_' || substr(s.name, 10)
                CROSS JOIN meta AS l ON l.name = 'split_to_' || substr(s.name, 10)
            WHERE s.name > 'split_of_' AND s.name < 'split_of`' AND s.value = b.device
                AND b.received_at < m.value AND b.id <= l.value))
        """

    /// When a row of either kind goes. In its transaction.
    static func forget(_ device: Int64, _ connection: Connection) throws(StorageError) {
        try connection.removeFact(deviceFact(device))
        try connection.removeFact(momentFact(device))
        try connection.removeFact(lastFact(device))
        try connection.change(
            "DELETE FROM meta WHERE name > 'split_of_' AND name < 'split_of`' AND value = ?1",
            device)
    }

    /// Notes what is to be done. In the transaction that makes the row of what goes.
    static func begin(
        old: Int64, device: Int64, moment: Int64, _ connection: Connection
    ) throws(StorageError) {
        try connection.setFact(deviceFact(old), device)
        try connection.setFact(momentFact(old), moment)
        let last = try connection.integer("SELECT max(id) FROM batch") ?? 0
        try connection.setFact(lastFact(old), last)
    }

    /// Gives to the row all that goes. What is searched for is searched for by a connection that reads.
    func carryOut(
        by steps: any StepRunner, _ reader: Connection, _ pace: inout SlicePace
    ) throws(StorageError) {
        try deleteCompletions(by: steps, reader, &pace)
        // As where a detached device is taken apart: some may be entered in `repeat_key` between the two.
        var last: Int64 = 0
        while true {
            let some = try newest(after: last, reader)
            guard let end = some.last else { break }
            try move(some, by: steps, &pace)
            last = end.row
        }
        var key = RepeatKey(device: device, digest: .min, batch: 0)
        while true {
            let some = try entered(after: key, reader)
            guard let end = some.last?.key else { break }
            try move(some, by: steps, &pace)
            key = end
        }
        try deleteKeys(by: steps, reader, &pace)
        // A prune may have kept further ones of batches that were still the device's.
        try deleteCompletions(by: steps, reader, &pace)
        try end(by: steps, reader)
    }

    private func newest(
        after batch: Int64, _ reader: Connection
    ) throws(StorageError) -> [ErasureSearch.Batch] {
        try reader.integers(
            """
            SELECT id FROM batch
            WHERE id > max(?2, (SELECT batch FROM repeat_keys_to)) AND device = ?1
                AND received_at < ?3 AND id <= ?4
            ORDER BY id LIMIT \(Self.rowsAtOnce)
            """, device, batch, moment, last
        ).map { ErasureSearch.Batch(row: $0, key: nil) }
    }

    private func entered(
        after key: RepeatKey, _ reader: Connection
    ) throws(StorageError) -> [ErasureSearch.Batch] {
        let find = try reader.prepare(
            """
            SELECT k.digest, k.batch FROM repeat_key AS k CROSS JOIN batch AS b
            WHERE k.device = ?1 AND (k.digest, k.batch) > (?2, ?3)
                AND b.id = k.batch AND b.device = ?1 AND b.received_at < ?4 AND b.id <= ?5
            ORDER BY k.digest, k.batch LIMIT \(Self.rowsAtOnce)
            """)
        try find.bind(1, device)
        try find.bind(2, key.digest)
        try find.bind(3, key.batch)
        try find.bind(4, moment)
        try find.bind(5, last)
        var batches: [ErasureSearch.Batch] = []
        while try find.step() {
            let row = find.int(1)
            batches.append(
                ErasureSearch.Batch(
                    row: row, key: RepeatKey(device: device, digest: find.int(0), batch: row)))
        }
        return batches
    }

    private func move(
        _ batches: [ErasureSearch.Batch], by steps: any StepRunner, _ pace: inout SlicePace
    ) throws(StorageError) {
        var rest = batches[...]
        while !rest.isEmpty {
            let (count, time) = try steps.step(keeping: .allButBatches(of: [])) {
                [self, rest, weight = pace.weight] (connection) throws(StorageError) in
                try self.move(rest, maxWeight: weight, connection)
            }
            pace.took(time)
            rest = rest.dropFirst(count)
        }
    }

    /// - Returns: how many of the batches are the row's now, or gone
    private func move(
        _ batches: ArraySlice<ErasureSearch.Batch>, maxWeight: Int, _ connection: Connection
    ) throws(StorageError) -> Int {
        let find = try connection.prepare(
            "SELECT accepted - pruned FROM batch WHERE id = ?1 AND device = ?2")
        let give = try connection.prepare("UPDATE batch SET device = ?2 WHERE id = ?1")
        // By which it is found when the row is taken apart, even if it was not entered yet: the writer enters none of
        // another device than it had.
        let enter = try connection.prepare(
            "INSERT OR IGNORE INTO repeat_key (device, digest, batch) VALUES (?1, ?2, ?3)")
        // Segments have the device of its events.
        let notes = try DeletionNotes(connection)
        var left = maxWeight
        var count = 0
        for batch in batches {
            if left <= 0 { break }
            count += 1
            try find.bind(1, batch.row)
            try find.bind(2, device)
            let events = try find.step() ? find.int(0) : nil
            find.reset()
            guard let events else { continue }
            try notes.note(EventID.all(ofBatch: batch.row), ofBatch: batch.row)
            try give.bind(1, batch.row)
            try give.bind(2, old)
            try give.run()
            try enter.bind(1, old)
            try enter.bind(2, batch.key?.digest ?? 0)
            try enter.bind(3, batch.row)
            try enter.run()
            left -= 4 + Int(min(max(events, 0), Int64(EventID.maxIndex) + 1))
        }
        try connection.delete(batches.prefix(count).compactMap(\.key))
        try connection.noteRemoval(ofDevice: device)
        return count
    }

    /// First completions whose events were of batches that go, in the order of the table.
    private func deleteCompletions(
        by steps: any StepRunner, _ reader: Connection, _ pace: inout SlicePace
    ) throws(StorageError) {
        let find = try reader.prepare(
            """
            SELECT content FROM completion WHERE device = ?1 AND content >= ?3
                AND \(EventID.batchSQL("event")) <= ?4 AND
                (SELECT received_at FROM batch WHERE id = \(EventID.batchSQL("event"))) < ?2
            ORDER BY content LIMIT \(Self.rowsAtOnce)
            """)
        var content: [UInt8] = []
        while true {
            try find.bind(1, device)
            try find.bind(2, moment)
            try find.bindText(3, content)
            try find.bind(4, last)
            var contents: [[UInt8]] = []
            while try find.step() { contents.append(find.blob(0)) }
            find.reset()
            guard let end = contents.last else { return }
            try delete(completions: contents, by: steps, &pace)
            // The text that follows it at once.
            content = end + [0]
        }
    }

    private func delete(
        completions: [[UInt8]], by steps: any StepRunner, _ pace: inout SlicePace
    ) throws(StorageError) {
        var rest = completions[...]
        while !rest.isEmpty {
            let some = rest.prefix(pace.weight)
            rest = rest.dropFirst(some.count)
            let (_, time) = try steps.step(keeping: .all) {
                [device] (connection) throws(StorageError) in
                let delete = try connection.prepare(
                    "DELETE FROM completion WHERE device = ?1 AND content = ?2")
                for content in some {
                    try delete.bind(1, device)
                    try delete.bindText(2, content)
                    try delete.run()
                }
                try connection.noteRemoval(ofDevice: device)
            }
            pace.took(time)
        }
    }

    /// Keys of batches that were entered as the device's before they went.
    private func deleteKeys(
        by steps: any StepRunner, _ reader: Connection, _ pace: inout SlicePace
    ) throws(StorageError) {
        let find = try reader.prepare(
            """
            SELECT digest, batch FROM repeat_key AS k WHERE device = ?1
                AND EXISTS (SELECT 1 FROM batch WHERE id = k.batch AND device = ?2)
            """)
        try find.bind(1, device)
        try find.bind(2, old)
        var keys: [RepeatKey] = []
        while try find.step() {
            keys.append(RepeatKey(device: device, digest: find.int(0), batch: find.int(1)))
        }
        find.reset()
        var rest = keys[...]
        while !rest.isEmpty {
            let some = Array(rest.prefix(pace.weight))
            rest = rest.dropFirst(some.count)
            let (_, time) = try steps.step(keeping: .all) { (connection) throws(StorageError) in
                try connection.delete(some)
            }
            pace.took(time)
        }
    }
}

/// Whether a device has batches that arrived before a moment, and others, as a connection that reads finds it.
struct DeviceAges: Sendable {
    /// Also where such a batch is gone, and the device's row names it still.
    let hasOlder: Bool
    let hasNewer: Bool
    /// Batches after it were stored since.
    let last: Int64

    /// Of a device by its row.
    init(_ device: Int64, around moment: Int64, _ connection: Connection) throws(StorageError) {
        func has(_ condition: String) throws(StorageError) -> Bool {
            let batches = try connection.integers(
                """
                SELECT 1 FROM device_batch AS k CROSS JOIN batch AS b ON b.id = k.batch
                WHERE k.device = ?1 AND b.received_at \(condition) ?2 LIMIT 1
                """, device, moment)
            return !batches.isEmpty
        }
        last = try connection.integer("SELECT max(id) FROM batch") ?? 0
        let hasOlderBatch = try has("<")
        hasOlder =
            if hasOlderBatch { true } else {
                try !connection.integers(
                    "SELECT 1 FROM device AS d WHERE d.id = ?1 AND \(DeviceSplit.isFirstGone)",
                    device, moment
                ).isEmpty
            }
        hasNewer = try has(">=")
    }
}
