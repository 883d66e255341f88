import Database
import Events
import Storage

/// Takes the fingerprints of pruned events out of the lists of their batches: nothing of an event stays.
struct PrunedFingerprints: ~Copyable {
    private let findList: Statement
    private let findEvents: Statement
    private let update: Statement
    private let delete: Statement
    private var batch: Int64 = 0
    /// Nil where the batch has none.
    private var list: [UInt8]?
    /// Its events before any of them goes.
    private var events: [Int64] = []

    init(_ connection: Connection) throws(StorageError) {
        let findList = try connection.prepare("SELECT list FROM fingerprint WHERE batch = ?")
        let findEvents = try connection.prepare(
            "SELECT id FROM event WHERE \(EventID.isSQL("id", ofBatch: "?1")) ORDER BY id")
        let update = try connection.prepare(
            """
            UPDATE fingerprint
            SET list = ?2, checksum = \(CheckedTable.fingerprints.expression("batch, ?2"))
            WHERE batch = ?1
            """)
        let delete = try connection.prepare("DELETE FROM fingerprint WHERE batch = ?1")
        self.findList = findList
        self.findEvents = findEvents
        self.update = update
        self.delete = delete
    }

    /// Before events of a batch are deleted.
    mutating func begin(_ batch: Int64) throws(StorageError) {
        self.batch = batch
        try findList.bind(1, batch)
        list = try findList.step() ? findList.blob(0) : nil
        findList.reset()
        events = list == nil ? [] : try remaining()
    }

    /// After it.
    mutating func end() throws(StorageError) {
        guard let list else { return }
        let left = Set(try remaining())
        guard !left.isEmpty else {
            try delete.bind(1, batch)
            return try delete.run()
        }
        try update.bind(1, batch)
        try update.bindBlob(2, FingerprintList.keeping(events.map(left.contains), of: list))
        try update.run()
    }

    private func remaining() throws(StorageError) -> [Int64] {
        try findEvents.bind(1, batch)
        defer { findEvents.reset() }
        var ids: [Int64] = []
        while try findEvents.step() { ids.append(findEvents.int(0)) }
        return ids
    }
}
