import Database
import Events

/// Knows records again that come in another batch than before (docs/decisions/0055-records-come-again.md), without an
/// index over events: a device's newest stored time tells of nearly all batches that nothing of them can be known.
/// One that begins at or before it is compared with those of the device's batches that its times touch.
final class KnownRecords {
    /// A state of the tables.
    final class Epoch {}

    /// Devices whose newest time is kept in memory: some 10 MB.
    private static let capacity = 100_000
    /// Rows of `repeat_key` of one piece of the search.
    private static let rowsPerStep = 4096

    private(set) var epoch = Epoch()
    private let batchesCompared: Int
    private let fingerprintsInMemory: Int
    /// By device.
    private var inMemory: [Int64: DeviceRecords] = [:]
    /// Those of comparisons that go on included.
    let held = FingerprintCount()
    private var uses = 0
    private let repeats: RepeatIndex
    /// By device: the latest time of its batches, milliseconds; none: `Int64.min`.
    private var newest = GenerationCache<Int64, Int64>(capacity: capacity)
    private let findSpans: Statement
    private let findList: Statement
    private let insert: Statement
    private var list: [UInt8] = []

    /// - Parameters:
    ///   - batchesCompared: of a device with more all fingerprints are held in memory
    ///   - fingerprintsInMemory: so many of them, of all devices, with those that are being read
    init(
        _ connection: Connection, _ repeats: RepeatIndex, batchesCompared: Int,
        fingerprintsInMemory: Int
    ) throws(StorageError) {
        self.repeats = repeats
        self.batchesCompared = batchesCompared
        self.fingerprintsInMemory = fingerprintsInMemory
        findSpans = try connection.prepare(
            """
            SELECT digest, batch, first_time, last_time FROM repeat_key
            WHERE device = ?1 AND (digest, batch) > (?2, ?3)
            ORDER BY digest, batch LIMIT \(Self.rowsPerStep)
            """)
        // A batch that a device's split has given away is as good as gone, however its times are still known.
        findList = try connection.prepare(
            """
            SELECT list FROM fingerprint
            WHERE batch = ?1 AND EXISTS (SELECT 1 FROM batch WHERE id = ?1 AND device = ?2)
            """)
        insert = try connection.prepare(
            """
            INSERT INTO fingerprint (batch, list, checksum)
            VALUES (?1, ?2, \(CheckedTable.fingerprints.expression("?1, ?2")))
            """)
    }

    /// Begins a comparison; nil where nothing of the batch can be known.
    func begin(_ batch: borrowing AcceptedBatch, device: Int64) -> RecordComparison? {
        guard !batch.fingerprints.isEmpty, let span = batch.timeSpan else { return nil }
        if let newest = newest.value(device), newest < span.lowerBound { return nil }
        let comparison = RecordComparison(
            batch, device: device, span: span, reach: repeats.reach, epoch)
        if let records = inMemory[device] {
            use(records)
            comparison.records = records
            comparison.next = nil
        } else {
            repeats.forEachRecentSpan(of: device) { comparison.note($0) }
        }
        return comparison
    }

    /// Goes on with a comparison.
    /// - Parameter deadline: uptime in nanoseconds at which it is to stop; nil: when it is through
    /// - Returns: whether it is through
    func proceed(
        _ comparison: RecordComparison, until deadline: UInt64? = nil
    ) throws(StorageError) -> Bool {
        while let from = comparison.next {
            if let deadline, Deadline.hasPassed(deadline) { return false }
            try search(comparison, from: from)
            if comparison.next == nil { newest.put(comparison.device, comparison.newest) }
        }
        if inMemory[comparison.device] != nil, comparison.records != nil { return true }
        if comparison.records == nil, !comparison.mustCompare,
            comparison.all.count > batchesCompared
        {
            comparison.records = DeviceRecords(held)
        }
        while let batch = comparison.nextBatch {
            if let deadline, Deadline.hasPassed(deadline) { return false }
            try findList.bind(1, batch)
            try findList.bind(2, comparison.device)
            if try findList.step() {
                findList.withBlob(0) { list in
                    if let records = comparison.records {
                        FingerprintList.forEach(in: list) { records.add($0, of: batch) }
                    } else {
                        comparison.compare(list, of: batch)
                    }
                }
            }
            findList.reset()
            comparison.compared += 1
            evict()
            if comparison.records != nil, held.value > fingerprintsInMemory {
                // Too many even for that: those that its times touch are compared, each time.
                comparison.records = nil
                comparison.compared = 0
                comparison.mustCompare = true
            }
        }
        if let records = comparison.records { keep(records, of: comparison.device) }
        return true
    }

    private func keep(_ records: DeviceRecords, of device: Int64) {
        inMemory[device] = records
        use(records)
    }

    /// Forgets devices, the least recently used first, until no more fingerprints are held than may be.
    private func evict() {
        while held.value > fingerprintsInMemory,
            let oldest = inMemory.min(by: { $0.value.lastUse < $1.value.lastUse })
        {
            inMemory[oldest.key] = nil
        }
    }

    private func use(_ records: DeviceRecords) {
        uses += 1
        records.lastUse = uses
    }

    private func search(
        _ comparison: RecordComparison, from: (digest: Int64, batch: Int64)
    ) throws(StorageError) {
        try findSpans.bind(1, comparison.device)
        try findSpans.bind(2, from.digest)
        try findSpans.bind(3, from.batch)
        defer { findSpans.reset() }
        var rows = 0
        while try findSpans.step() {
            rows += 1
            let batch = findSpans.int(1)
            comparison.next = (findSpans.int(0), batch)
            // Those after it are among the recent ones.
            guard batch <= comparison.reach, !findSpans.isNull(3) else { continue }
            comparison.note(
                RecentSpans.Times(batch: batch, first: findSpans.int(2), last: findSpans.int(3)))
        }
        if rows < Self.rowsPerStep { comparison.next = nil }
    }

    /// Takes a batch that is being stored.
    func add(
        _ batch: borrowing AcceptedBatch, number: Int64, device: Int64
    ) throws(StorageError) {
        guard !batch.fingerprints.isEmpty, let span = batch.timeSpan else { return }
        FingerprintList.write(batch.fingerprints, to: &list)
        try insert.bind(1, number)
        try insert.bindBlob(2, list)
        try insert.run()
        repeats.add(
            RecentSpans.Times(batch: number, first: span.lowerBound, last: span.upperBound),
            of: device)
        if let records = inMemory[device] {
            for fingerprint in batch.fingerprints { records.add(fingerprint.value, of: number) }
            evict()
        }
        if let known = newest.value(device) {
            newest.put(device, max(known, span.upperBound))
        }
    }

    /// A device whose row is made now has nothing before its first batch.
    func addDevice(_ device: Int64) { newest.put(device, .min) }

    /// After a rollback, or when others have changed rows.
    func forget() {
        newest.removeAll()
        inMemory.removeAll()
        epoch = Epoch()
    }
}
