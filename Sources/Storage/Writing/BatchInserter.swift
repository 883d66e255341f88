import Database
import Events

/// Turns accepted batches into rows, within a transaction of its caller.
final class BatchInserter {
    let devices: DeviceTable
    private let codes: ResourceTable
    let names: NameTables
    var drafts = WordDrafts()
    let connection: Connection
    private var rows: EventRows
    let repeats: RepeatIndex
    let records: KnownRecords
    /// So many new words are no matter for a batch's own transaction.
    let wordsInGroup: Int
    private let insert: Statement
    private let countRepeat: Statement
    private let findNames: Statement
    private let insertRejection: Statement
    private let keyUse: KeyUse
    /// Nil where reports are asked of an engine.
    private let segmenter: Segmenter?
    /// The number the next batch gets. Numbers of failed transactions are not used again before a
    /// restart: nobody has seen them.
    private(set) var next: Int64
    /// Of a batch whose words were not looked up before.
    private var words = BatchWords()
    /// As `batch.attribute_keys` has them.
    private var attributeKeyList: [UInt8] = []
    private var apps: TextHashes
    private var keys: TextHashes

    /// - Parameters:
    ///   - digest: by which repeats are looked for
    ///   - least: no batch gets a number below it
    init(
        _ connection: Connection, _ digest: RepeatDigest, limits: StoreWriter.WriteLimits,
        from least: Int64 = 1
    ) throws(StorageError) {
        devices = try DeviceTable(connection)
        self.connection = connection
        wordsInGroup = limits.wordsInGroup
        codes = try ResourceTable(connection)
        names = try NameTables(connection, limit: limits.maxNames)
        repeats = try RepeatIndex(
            connection, digest, generation: limits.batchesPerGeneration,
            slice: limits.keysPerSlice)
        records = try KnownRecords(
            connection, repeats, batchesCompared: limits.batchesCompared,
            fingerprintsInMemory: limits.fingerprintsInMemory)
        insert = try connection.prepare(
            """
            INSERT INTO batch
                (id, app, device, resource, batch_id, received_at, clock_shift, profile, key,
                 sequence, dropped_events, body_bytes, accepted, rejected, first_time, last_time,
                 sessions, attribute_keys, pruned, checksum)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?)
            """)
        countRepeat = try connection.prepare(
            """
            INSERT INTO repeat (app, quarter, batch, times, body_bytes, checksum)
            VALUES (?1, ?2, ?3, 1, ?4, \(CheckedTable.repeats.expression("?1, ?2, ?3, 1, ?4")))
            ON CONFLICT DO UPDATE
            SET times = times + 1, body_bytes = body_bytes + ?4,
                checksum = \(CheckedTable.repeats.expression(
                    "app, quarter, batch, times + 1, body_bytes + ?4"))
            """)
        findNames = try connection.prepare(
            "SELECT events, first_index FROM rejection WHERE app = ? AND batch = ? AND code = ?")
        insertRejection = try connection.prepare(
            "INSERT INTO rejection (app, batch, code, events, first_index) VALUES (?, ?, ?, ?, ?)")
        keyUse = try KeyUse(connection)
        segmenter =
            limits.makesSegments
            ? try Segmenter(connection, limit: limits.eventsPerSegment) : nil
        apps = try TextHashes(["name"], of: "app", on: connection)
        keys = try TextHashes(["name"], of: "key", on: connection)
        // A number that segments or `repeat_key` are said to have is not used again, even if its batch
        // was erased: its owner is looked up there. Nor is one that was handed over.
        let last =
            try connection.integer(
                """
                SELECT max(coalesce((SELECT max(id) FROM batch), 0),
                    coalesce((SELECT max(last_batch) FROM segmented), 0),
                    coalesce((SELECT max(last_batch) FROM handed_over), 0), batch)
                FROM repeat_keys_to
                """) ?? 0
        next = max(last + 1, least, (try connection.fact(Connection.spoolEmptiedTo) ?? 0) + 1)
        rows = try EventRows(connection, next: next)
    }

    /// What the schema takes for granted and a transaction could not bear.
    static func check(_ batch: borrowing AcceptedBatch) -> StorageError? {
        if let last = batch.events.last, Int(last.index) > EventID.maxIndex {
            return .unstorable(rule: "an event's index is at most 8191")
        }
        return nil
    }

    /// Stores the batch, or counts its repeat.
    func store(_ pending: PendingBatch) throws(StorageError) -> WriteOutcome {
        let known = try devices.known(pending.batch)
        let digest = repeats.digest(of: pending.batch.batchID)
        if let known, let first = try repeated(pending.batch, device: known.id, digest) {
            return first
        }
        _ = try compare(pending, until: nil)
        if case .known(let first) = pending.comparison?.result {
            try countRepeat(pending.batch, of: first)
            return .duplicate(
                accepted: pending.batch.events.count, rejected: pending.batch.rejected)
        }
        // Neither is copied.
        if let fresh = pending.comparison?.fresh {
            return try store(fresh, of: pending, known, digest, isWhole: false)
        }
        return try store(pending.batch, of: pending, known, digest, isWhole: true)
    }

    /// - Parameter batch: what of it is not stored yet
    private func store(
        _ batch: borrowing AcceptedBatch, of pending: PendingBatch, _ known: DeviceTable.Known?,
        _ digest: Int64, isWhole: Bool
    ) throws(StorageError) -> WriteOutcome {
        if isPrepared(pending), let preparation = pending.preparation {
            if preparation.hasDrafts { try drafts.end(connection) }
            if preparation.stage == .rest { try complete(&preparation.words, of: batch) }
            return try store(batch, preparation.words, known, digest, isWhole: isWhole)
        }
        // Its array goes with it and comes back, so that neither is copied.
        var words = BatchWords()
        swap(&words, &self.words)
        defer { swap(&words, &self.words) }
        words.removeAll()
        _ = try names.lookUp(batch, into: &words)
        try complete(&words, of: batch)
        return try store(batch, words, known, digest, isWhole: isWhole)
    }

    /// Compares a batch's records with those that its device has stored.
    /// - Parameter deadline: uptime in nanoseconds at which it is to stop; nil: when it is through
    /// - Returns: whether it is through, or needless
    func compare(_ pending: PendingBatch, until deadline: UInt64?) throws(StorageError) -> Bool {
        if pending.batch.fingerprints.isEmpty { return true }
        let comparison: RecordComparison
        if let begun = pending.comparison, begun.epoch === records.epoch {
            if begun.result != nil { return true }
            comparison = begun
        } else {
            pending.comparison = nil
            guard let device = try devices.known(pending.batch)?.id,
                let fresh = records.begin(pending.batch, device: device)
            else { return true }
            // One that has come before is known by its id.
            if try isRepeat(pending.batch) { return true }
            comparison = fresh
            pending.comparison = fresh
        }
        guard try records.proceed(comparison, until: deadline) else { return false }
        comparison.end(pending.batch)
        return true
    }

    /// What is left once words have been looked up.
    private func complete(
        _ words: inout BatchWords, of batch: borrowing AcceptedBatch
    ) throws(StorageError) {
        if words.fresh == 0 { return }
        try names.judge(batch, &words)
        if let part = words.part {
            try names.makeRows(for: part, &words)
        } else {
            try names.makeRows(for: batch, &words)
        }
    }

    private func store(
        _ batch: borrowing AcceptedBatch, _ words: borrowing BatchWords,
        _ known: DeviceTable.Known?, _ digest: Int64, isWhole: Bool
    ) throws(StorageError) -> WriteOutcome {
        guard let part = words.part else {
            try insert(batch, words, known, digest)
            return isWhole ? .stored : .storedInPart(NameVerdict(batch))
        }
        try insert(part, words, known, digest)
        return .storedInPart(NameVerdict(part))
    }

    private func insert(
        _ batch: borrowing AcceptedBatch, _ words: borrowing BatchWords,
        _ known: DeviceTable.Known?, _ digest: Int64
    ) throws(StorageError) {
        let resource = try codes.code(of: batch.resource)
        let device: Int64
        if let known {
            device = known.id
            try devices.update(known, with: batch, resource: resource.code)
        } else {
            device = try devices.add(batch, resource: resource.code)
            if !batch.fingerprints.isEmpty { records.addDevice(device) }
        }
        if words.fresh > 0 { try names.addUses(of: batch, words) }
        CodeList.write(words.attributeKeys.rows, to: &attributeKeyList)
        let number = next
        next += 1
        try insertRow(
            batch, number: number, device: device, resource: resource.code,
            checksum: try checksum(batch, words, number: number, resource: resource.hash))
        try rows.append(batch, number: number, names: words.names.rows)
        for rejection in batch.rejectionCounts {
            try insertRejection.bind(1, batch.app)
            try insertRejection.bind(2, number)
            try insertRejection.bind(3, rejection.code)
            try insertRejection.bind(4, Int64(rejection.count))
            try insertRejection.bind(5, Int64(rejection.firstIndex))
            try insertRejection.run()
        }
        repeats.add(RepeatKey(device: device, digest: digest, batch: number))
        try records.add(batch, number: number, device: device)
        keyUse.count(batch)
        segmenter?.add(
            batch, number: number, device: device, resource: resource.code,
            names: words.names.rows)
    }

    /// Before the first batch of a transaction.
    /// - Parameter slice: for how long it reads back what it has forgotten, about, in nanoseconds; nil: until all is
    ///   read
    func beginGroup(slice: UInt64? = nil) throws(StorageError) {
        try segmenter?.begin(slice: slice)
    }

    /// Writes what is kept once a transaction; to be called before it ends.
    func finishGroup() throws(StorageError) {
        try keyUse.write()
        try repeats.enterSome()
        try segmenter?.finish()
    }

    /// The transaction is committed.
    func committed() {
        repeats.committed()
        segmenter?.committed()
    }

    /// Whether `mergeSome` may have something to do.
    var hasDueMerges: Bool { segmenter?.hasDueMerges ?? false }

    /// Merges small segments, until a deadline; within a transaction of its own.
    /// - Parameter deadline: uptime in nanoseconds
    func mergeSome(until deadline: UInt64) throws(StorageError) {
        try segmenter?.mergeSome(until: deadline)
    }

    /// That transaction is over.
    func endMerges(isCommitted: Bool) { segmenter?.endMerges(isCommitted: isCommitted) }

    /// After a rollback, or when others have changed the rows.
    func forget() {
        repeats.forget()
        records.forget()
        devices.forget()
        forgetCodes()
        keyUse.forget()
        segmenter?.forget()
        apps.forget()
        keys.forget()
    }

    /// When batches were deleted, and perhaps rows of these devices.
    func forgetBatches(of devices: [StoredDevice]) {
        repeats.forget()
        records.forget()
        self.devices.forget(devices)
        // A batch that waits may have been a repeat of one that is gone: its words were not looked up.
        names.forget()
    }

    /// When rows of names, attribute keys or resources were deleted.
    func forgetCodes() {
        codes.forget()
        names.forget()
        drafts.forget()
        segmenter?.forgetNames()
    }

    private func repeated(
        _ batch: borrowing AcceptedBatch, device: Int64, _ digest: Int64
    ) throws(StorageError) -> WriteOutcome? {
        let found = try repeats.find(device: device, batchID: batch.batchID, digest: digest)
        guard let first = found else { return nil }
        try countRepeat(batch, of: first.batch)
        if !batch.fingerprints.isEmpty, first.rejected > batch.rejected,
            let names = try namesRejected(of: batch.app, first.batch)
        {
            return .duplicateInPart(names)
        }
        return .duplicate(accepted: Int(first.accepted), rejected: Int(first.rejected))
    }

    private func countRepeat(
        _ batch: borrowing AcceptedBatch, of first: Int64
    ) throws(StorageError) {
        try countRepeat.bind(1, batch.app)
        try countRepeat.bind(2, QuarterHour.number(of: batch.receivedAt))
        try countRepeat.bind(3, first)
        try countRepeat.bind(4, Int64(batch.bodyBytes))
        try countRepeat.run()
    }

    /// The events of a stored batch that were rejected for the names that they bring; nil: none.
    private func namesRejected(
        of app: Int64, _ batch: Int64
    ) throws(StorageError) -> RejectionCount? {
        let code = EventRule.tooManyNames.code
        try findNames.bind(1, app)
        try findNames.bind(2, batch)
        try findNames.bind(3, code)
        defer { findNames.reset() }
        guard try findNames.step() else { return nil }
        return RejectionCount(
            code: code, count: Int(findNames.int(0)), firstIndex: Int(findNames.int(1)))
    }

    private func insertRow(
        _ batch: borrowing AcceptedBatch, number: Int64, device: Int64, resource: Int64,
        checksum: Int64
    ) throws(StorageError) {
        let span = batch.timeSpan
        try insert.bind(1, number)
        try insert.bind(2, batch.app)
        try insert.bind(3, device)
        try insert.bind(4, resource)
        try insert.bind(5, batch.batchID)
        try insert.bind(6, batch.receivedAt)
        try insert.bind(7, batch.clockShift)
        try insert.bind(8, Int64(batch.profile.rawValue))
        try insert.bind(9, batch.key)
        try insert.bind(10, batch.sequence)
        try insert.bind(11, batch.droppedEvents)
        try insert.bind(12, Int64(batch.bodyBytes))
        try insert.bind(13, Int64(batch.events.count))
        try insert.bind(14, Int64(batch.rejected))
        try insert.bind(15, span?.lowerBound)
        try insert.bind(16, span?.upperBound)
        try insert.bindText(17, batch.sessionsJSON)
        try insert.bindText(18, attributeKeyList.isEmpty ? nil : attributeKeyList)
        try insert.bind(19, checksum)
        try insert.run()
    }

    /// The checksum of what the rows will have.
    private func checksum(
        _ batch: borrowing AcceptedBatch, _ words: borrowing BatchWords, number: Int64,
        resource: UInt64
    ) throws(StorageError) -> Int64 {
        var digest = BatchDigest(
            BatchDigest.Columns(
                batch, number: number, app: try apps.hash(of: batch.app), resource: resource,
                key: try batch.key.map { (key) throws(StorageError) in try keys.hash(of: key) }))
        digest.add(
            batch, names: words.names.hashes, attributeKeys: words.attributeKeys.hashes)
        return digest.value
    }
}
