import Database
import Events
import Storage

/// Some batches of the spool that are to be deleted, and what has to be known of them, as one state of the
/// database has it.
struct SpoolPortion {
    /// The most batches, and counts of repeats, of one: a few megabytes.
    static let maxBatches = 4_096
    private static let maxRepeats = 65_536
    /// The most first completions of one.
    private static let maxCompletions = 16_384

    /// A batch, and what it weighs with the rows that go with it (`SlicePace`).
    struct Batch {
        let row: Int64
        let device: Int64
        fileprivate(set) var weight: Int
        /// It came, or came again, in a quarter of an hour that is not over: it stays.
        fileprivate(set) var isHeld: Bool
    }

    /// A first completion of a device, whose event was one of the batch and is pruned.
    struct Completion: Sendable {
        let device: Int64
        let content: [UInt8]
        let event: Int64

        /// Row of the batch.
        var batch: Int64 { EventID(rawValue: event).batch }
    }

    /// In the order stored.
    private(set) var batches: [Batch] = []
    /// Of those that go, in order of batches.
    private(set) var completions: [Completion] = []
    /// Counts of repeats of those that go, and of batches before them that are gone; in order of batches.
    private(set) var repeats: [RepeatRow] = []
    /// Devices without a later batch, by their last one.
    private(set) var lastDevices: [Int64: [StoredDevice]] = [:]
    /// Names and keys that their events have.
    private(set) var names: Set<AppWord> = []
    private(set) var attributeKeys: Set<AppWord> = []
    private(set) var keyRows: Set<Int64> = []
    /// The newest batch of all.
    private(set) var newest: Int64 = 0

    /// What follows a batch. On a connection that reads.
    /// - Parameter open: quarters of an hour that are not over
    init(
        after batch: Int64, upTo last: Int64, openQuarters open: ClosedRange<Int64>,
        _ newestBatches: inout NewestBatches, _ connection: Connection
    ) throws(StorageError) {
        try connection.execute("BEGIN")
        defer { connection.rollBack() }
        try newestBatches.update()
        newest = try connection.integer("SELECT max(id) FROM batch") ?? 0
        var apps: Set<Int64> = []
        var devices: [Int64: Int64] = [:]
        try readBatches(after: batch, upTo: last, open, &apps, connection)
        try readCompletions(connection)
        try readRepeats(of: apps, after: batch, connection)
        hold(open)
        guard let first = batches.first?.row, let end = batches.last?.row else { return }
        let owners = try connection.prepare(
            "SELECT app, device, attribute_keys FROM batch WHERE id >= ?1 AND id <= ?2")
        try owners.bind(1, first)
        try owners.bind(2, end)
        while try owners.step() {
            devices[owners.int(1)] = owners.int(0)
            for key in owners.withText(2, { CodeList.parse($0) }) ?? [] {
                keyRows.insert(key)
                attributeKeys.insert(AppWord(app: owners.int(0), word: key))
            }
        }
        try readNames(first, end, connection)
        try readLastDevices(devices, upTo: end, newestBatches, connection)
    }

    private mutating func readBatches(
        after batch: Int64, upTo last: Int64, _ open: ClosedRange<Int64>,
        _ apps: inout Set<Int64>, _ connection: Connection
    ) throws(StorageError) {
        let rows = try connection.prepare(
            """
            SELECT id, app, accepted - pruned, received_at, device FROM batch
            WHERE id > ?1 AND id <= ?2 ORDER BY id LIMIT \(Self.maxBatches)
            """)
        try rows.bind(1, batch)
        try rows.bind(2, last)
        while try rows.step() {
            apps.insert(rows.int(1))
            batches.append(
                Batch(
                    row: rows.int(0), device: rows.int(4),
                    weight: 1 + max(0, Int(clamping: rows.int(2))),
                    isHeld: open.contains(QuarterHour.number(of: rows.int(3)))))
        }
    }

    /// Takes fewer batches where they have too many.
    private mutating func readCompletions(_ connection: Connection) throws(StorageError) {
        let rows = try connection.prepare(
            """
            SELECT c.device, c.content, c.event
            FROM (SELECT DISTINCT device FROM batch WHERE id >= ?1 AND id <= ?2) AS d
            CROSS JOIN completion AS c
            WHERE c.device = d.device AND \(EventID.isSQL("c.event", ofBatch: "?1", to: "?2"))
            LIMIT \(Self.maxCompletions + 1)
            """)
        while let first = batches.first?.row, let end = batches.last?.row {
            completions.removeAll()
            try rows.bind(1, first)
            try rows.bind(2, end)
            while try rows.step() {
                completions.append(
                    Completion(device: rows.int(0), content: rows.blob(1), event: rows.int(2)))
            }
            rows.reset()
            // A batch has no more than that.
            if completions.count <= Self.maxCompletions || batches.count == 1 { break }
            batches.removeLast(batches.count - batches.count / 2)
        }
        completions.sort { $0.event < $1.event }
        count(
            completions.map {
                (batch: $0.batch, weight: SlicePace.weight(ofBytes: $0.content.count))
            })
    }

    /// Has batches weigh more.
    /// - Parameter more: in order of batches
    private mutating func count(_ more: [(batch: Int64, weight: Int)]) {
        var index = 0
        for (batch, weight) in more {
            while batches[index].row < batch, index + 1 < batches.count { index += 1 }
            batches[index].weight += weight
        }
    }

    /// Takes fewer batches where they have too many.
    private mutating func readRepeats(
        of apps: Set<Int64>, after batch: Int64, _ connection: Connection
    ) throws(StorageError) {
        let rows = try connection.prepare(
            """
            SELECT quarter, batch FROM repeat AS r WHERE app = ?1 AND batch <= ?2
                AND (batch > ?3 OR NOT EXISTS (SELECT 1 FROM batch WHERE id = r.batch))
            LIMIT \(Self.maxRepeats + 1)
            """)
        while let end = batches.last?.row {
            repeats.removeAll()
            for app in apps {
                try rows.bind(1, app)
                try rows.bind(2, end)
                try rows.bind(3, batch)
                while repeats.count <= Self.maxRepeats, try rows.step() {
                    repeats.append(
                        RepeatRow(app: app, quarter: rows.int(0), batch: rows.int(1)))
                }
                rows.reset()
            }
            if repeats.count <= Self.maxRepeats || batches.count == 1 { break }
            batches.removeLast(batches.count - batches.count / 2)
        }
        repeats.sort { $0.batch < $1.batch }
        // Each in two tables.
        count(repeats.map { (batch: $0.batch, weight: 2) })
    }

    /// Has what came again just now stay, with its counts and completions.
    private mutating func hold(_ open: ClosedRange<Int64>) {
        let again = Set(repeats.filter { open.contains($0.quarter) }.map(\.batch))
        for index in batches.indices where again.contains(batches[index].row) {
            batches[index].isHeld = true
        }
        let held = Set(batches.filter(\.isHeld).map(\.row))
        repeats.removeAll { held.contains($0.batch) }
        completions.removeAll { held.contains($0.batch) }
    }

    private mutating func readNames(
        _ first: Int64, _ last: Int64, _ connection: Connection
    ) throws(StorageError) {
        let rows = try connection.prepare(
            """
            SELECT DISTINCT b.app, e.name FROM batch AS b CROSS JOIN event AS e
            WHERE b.id >= ?1 AND b.id <= ?2 AND \(EventID.isSQL("e.id", ofBatch: "b.id"))
            """)
        try rows.bind(1, first)
        try rows.bind(2, last)
        while try rows.step() { names.insert(AppWord(app: rows.int(0), word: rows.int(1))) }
    }

    private mutating func readLastDevices(
        _ devices: [Int64: Int64], upTo last: Int64, _ newestBatches: borrowing NewestBatches,
        _ connection: Connection
    ) throws(StorageError) {
        let latest = try connection.prepare(
            """
            WITH \(NewestBatches.own)
            SELECT max(own.batch), (SELECT hash FROM device WHERE id = ?1) FROM own
            """)
        for (device, app) in devices {
            try newestBatches.bind(device, to: latest)
            defer { latest.reset() }
            guard try latest.step(), let batch = latest.optionalInt(0), batch <= last,
                let hash = latest.withBlob(1, { DeviceHash($0) })
            else { continue }
            lastDevices[batch, default: []].append(
                StoredDevice(row: device, app: app, hash: hash))
        }
    }
}
