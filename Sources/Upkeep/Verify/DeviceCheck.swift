import Database
import Events
import Storage

/// Whether each device's first seen is what its batches have: its earliest event, ties by the bytes of
/// the batch's id, then by index (docs/reports.md, Sessions). What a prune has deleted it cannot look
/// at.
final class DeviceCheck {
    /// Devices of one read transaction.
    private static let slice = 500

    /// Its first event, as the device's row or a batch of it has it.
    private struct First: Equatable {
        let time: Int64?
        let batchID: [UInt8]
        let index: Int64
        let resource: Int64

        /// By time, then by the bytes of the batch's id.
        func isBefore(_ other: First) -> Bool {
            guard let time, let otherTime = other.time else { return false }
            if time != otherTime { return time < otherTime }
            return batchID.lexicographicallyPrecedes(other.batchID)
        }

        /// From the four columns that begin there.
        init(_ row: borrowing Statement, _ column: Int32) {
            time = row.optionalInt(column)
            batchID = row.withText(column + 1) { text in
                text.withUnsafeBufferPointer { Array($0) }
            }
            index = row.int(column + 2)
            resource = row.int(column + 3)
        }
    }

    private let connection: Connection
    private let devices: Statement
    private let batches: Statement
    private let first: Statement
    private var newest: NewestBatches
    /// Batches that were handed over were deleted: a device's first may be among them.
    private let isEmptied: Bool

    init(_ connection: Connection) throws(StorageError) {
        self.connection = connection
        devices = try connection.prepare(
            """
            SELECT id, first_time, first_batch_id, first_index, first_resource FROM device
            WHERE id > ? ORDER BY id LIMIT \(Self.slice)
            """)
        batches = try connection.prepare(
            """
            WITH \(NewestBatches.own)
            SELECT count(*), coalesce(sum(pruned), 0) FROM own CROSS JOIN batch
            WHERE batch.id = own.batch AND device = ?1
            """)
        first = try connection.prepare(
            """
            WITH \(NewestBatches.own)
            SELECT first_time, batch_id,
                (SELECT \(EventID.indexSQL("event.id")) FROM event
                 WHERE \(EventID.isSQL("event.id", ofBatch: "batch.id"))
                    AND late = received_at - first_time
                 ORDER BY event.id LIMIT 1),
                resource
            FROM own CROSS JOIN batch
            WHERE batch.id = own.batch AND device = ?1 AND first_time IS NOT NULL
            ORDER BY first_time, batch_id LIMIT 1
            """)
        newest = try NewestBatches(connection)
        isEmptied = try connection.fact(Connection.spoolEmptiedTo) ?? 0 > 0
    }

    /// - Returns: how many devices there are.
    func run(_ findings: inout Findings) throws(StorageError) -> Int {
        try SharedCheck(connection).run(&findings)
        try FirstSeenCheck(connection).run(&findings)
        var device: Int64 = .min
        var count = 0
        while true {
            let looked = try connection.snapshot { () throws(StorageError) in
                try checkSlice(&device, &findings)
            }
            count += looked
            if looked < Self.slice { return count }
        }
    }

    private func checkSlice(
        _ device: inout Int64, _ findings: inout Findings
    ) throws(StorageError) -> Int {
        let erasing = try UnfinishedErasures.devicesInPart(connection)
        try newest.update()
        try devices.bind(1, device)
        defer { devices.reset() }
        var looked = 0
        while try devices.step() {
            device = devices.int(0)
            looked += 1
            if erasing.contains(device) { continue }
            if let fault = try fault(of: device) {
                findings.add(Finding("device \(device)", fault))
            }
        }
        return looked
    }

    private func fault(of device: Int64) throws(StorageError) -> String? {
        try newest.bind(device, to: batches)
        defer { batches.reset() }
        guard try batches.step(), batches.int(0) > 0 else { return "has no batch" }
        if batches.int(1) > 0 { return nil }
        try newest.bind(device, to: first)
        defer { first.reset() }
        let stored = First(devices, 1)
        guard try first.step() else {
            return stored.time == nil || isEmptied ? nil : "was first seen, but has no event"
        }
        let found = First(first, 0)
        if found == stored || isEmptied && stored.isBefore(found) { return nil }
        return "was not first seen when its row says"
    }
}

/// Whether the index of shared devices, read as each report reads it, has just those of the table.
/// SQLite's own check looks for the table's rows in the index, and passes over some bytes of an entry's
/// head that lead a search elsewhere.
struct SharedCheck {
    private let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    func run(_ findings: inout Findings) throws(StorageError) {
        let isSame = try connection.snapshot { () throws(StorageError) -> Bool in
            try hasSameRows()
        }
        if isSame { return }
        findings.add(Finding("table device", "has other shared devices than its index of them"))
    }

    /// Each entry comes after the one before it and has its row, and there are as many as shared rows.
    private func hasSameRows() throws(StorageError) -> Bool {
        let entries = try connection.prepare(
            """
            SELECT id FROM device INDEXED BY device_shared
            WHERE app = ?1 AND shared <> 0 AND id > 0
            """)
        let row = try connection.prepare(
            "SELECT 1 FROM device NOT INDEXED WHERE id = ?1 AND app = ?2 AND shared <> 0")
        var count: Int64 = 0
        for app in try connection.integers("SELECT id FROM app") {
            try entries.bind(1, app)
            try row.bind(2, app)
            defer { entries.reset() }
            var last: Int64 = 0
            while try entries.step() {
                let id = entries.int(0)
                if id <= last { return false }
                last = id
                count += 1
                try row.bind(1, id)
                defer { row.reset() }
                guard try row.step() else { return false }
            }
        }
        return try count
            == connection.integer("SELECT count(*) FROM device NOT INDEXED WHERE shared <> 0")
    }
}
