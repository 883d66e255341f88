import Database
import Events

/// Knows every stored batch again, without a page of the database for each.
///
/// An index to which each batch is added when it comes costs a page in the WAL and one in the file
/// for each, since ids come in no order. So batches are entered late, many at once and in the order of
/// the key, where neighbours share a page. Until then they are known from memory: a *growing*
/// generation takes the batches that come; when it has its size and the *frozen* one before it is
/// through, it is frozen itself, and goes into the table `repeat_key` slice by slice, each with a commit.
/// A start reads back what was only in memory.
///
/// With 131,072 batches to a generation this is 12 MB at most, and a start reads some 200,000 rows.
///
/// What it earns beside 4 million stored batches (docs/decisions/0024-repeats.md): late and in order, which
/// earn nothing apart, four fifths of the bytes written and a tenth of the CPU; slices, a longest wait of
/// 0.2 s instead of 2.
final class RepeatIndex {
    /// What was answered first.
    struct Found {
        /// Row of the batch.
        let batch: Int64
        let accepted: Int64
        let rejected: Int64
    }

    private let connection: Connection
    private let digest: RepeatDigest
    private let generation: Int
    private let slice: Int
    private let findStored: Statement
    private let findKey: Statement
    private let insert: Statement
    private let insertIfThere: Statement
    private var growing: RecentBatches
    private var growingSpans = RecentSpans()
    private var frozenSpans = RecentSpans()
    /// All batches up to here are in the table.
    private(set) var reach: Int64 = 0
    /// Of the growing ones, those of ended transactions.
    private var lasting = 0
    private var frozen: RecentBatches
    /// The frozen ones, in the order of the table.
    private var ordered: [RepeatKey] = []
    /// How many of these are in the table, and how many with what the transaction has done.
    private var entered = 0
    private var pendingCount = 0
    /// Up to this row batches may have been erased since they were stored: each is looked for, which
    /// reads a page, before it is entered.
    private var doubtful: Int64 = 0

    /// - Parameters:
    ///   - generation: batches that are entered together
    ///   - slice: how many of them at once; more where more than half as many batches come at once
    init(
        _ connection: Connection, _ digest: RepeatDigest, generation: Int, slice: Int
    ) throws(StorageError) {
        self.connection = connection
        self.digest = digest
        self.generation = max(generation, 1)
        self.slice = max(slice, 1)
        findStored = try connection.prepare(
            "SELECT accepted, rejected FROM batch WHERE id = ? AND device = ? AND batch_id = ?")
        findKey = try connection.prepare(
            "SELECT batch FROM repeat_key WHERE device = ? AND digest = ?")
        insert = try connection.prepare(
            """
            INSERT OR IGNORE INTO repeat_key (device, digest, batch, first_time, last_time)
            VALUES (?1, ?2, ?3, ?4, ?5)
            """)
        insertIfThere = try connection.prepare(
            """
            INSERT OR IGNORE INTO repeat_key (device, digest, batch, first_time, last_time)
            SELECT device, ?2, id, ?4, ?5 FROM batch WHERE id = ?3 AND device = ?1
            """)
        growing = RecentBatches(capacity: generation)
        frozen = RecentBatches(capacity: generation)
        try readBack()
        // An erasure may be going on that has detached their device and has yet to take them away.
        forget()
    }

    /// By what a batch of an id is looked for.
    func digest(of batchID: String) -> Int64 { digest.make(of: batchID.utf8.span) }

    /// The stored batch of a device that has an id; nil if there is none.
    /// - Parameter digest: of the id
    func find(device: Int64, batchID: String, digest: Int64) throws(StorageError) -> Found? {
        for batch in growing.batches(of: device, digest: digest) {
            if let found = try stored(batch, device, batchID) { return found }
        }
        for batch in frozen.batches(of: device, digest: digest) {
            if let found = try stored(batch, device, batchID) { return found }
        }
        try findKey.bind(1, device)
        try findKey.bind(2, digest)
        defer { findKey.reset() }
        while try findKey.step() {
            if let found = try stored(findKey.int(0), device, batchID) { return found }
        }
        return nil
    }

    /// Takes a batch that is being stored.
    func add(_ key: RepeatKey) { growing.append(key) }

    /// Takes the times of the batch that was added last.
    func add(_ span: RecentSpans.Times, of device: Int64) { growingSpans.append(span, of: device) }

    /// The times of a device's batches after `reach`.
    func forEachRecentSpan(of device: Int64, _ body: (RecentSpans.Times) -> Void) {
        growingSpans.forEach(of: device, body)
        frozenSpans.forEach(of: device, body)
    }

    /// Enters a slice, if one is due; to be called before a transaction ends. Two keys are due for each
    /// batch that came since they were frozen: so the work is spread, and done in time.
    func enterSome() throws(StorageError) {
        let due = min(2 * growing.keys.count, ordered.count) - entered
        if due < slice, entered + due < ordered.count { return }
        try enter(min(due, max(slice, 2 * (growing.keys.count - lasting))))
    }

    /// After a commit: what was added and entered lasts.
    func committed() {
        lasting = growing.keys.count
        entered = pendingCount
        if entered == ordered.count, !ordered.isEmpty {
            reach = frozen.keys.last?.batch ?? reach
            ordered = []
            frozen.removeAll()
            frozenSpans.removeAll()
            (entered, pendingCount) = (0, 0)
        }
        if ordered.isEmpty, lasting >= generation { freeze() }
    }

    /// After a rollback, or when others have changed rows: what was added and entered since the last
    /// commit is not there.
    func forget() {
        growing.truncate(to: lasting)
        growingSpans.removeAll(after: growing.keys.last?.batch ?? .min)
        pendingCount = entered
        doubtful = growing.keys.last?.batch ?? frozen.keys.last?.batch ?? doubtful
    }

    private func freeze() {
        swap(&growing, &frozen)
        swap(&growingSpans, &frozenSpans)
        lasting = 0
        ordered = frozen.keys.sorted()
    }

    private func enter(_ count: Int) throws(StorageError) {
        if ordered.isEmpty { return }
        let end = min(entered + count, ordered.count)
        for key in ordered[entered..<end] {
            let span = frozenSpans.isEmpty ? nil : frozenSpans.span(of: key.batch)
            if key.batch > doubtful {
                try key.enter(by: insert, span)
            } else {
                try key.enter(by: insertIfThere, span)
            }
        }
        pendingCount = end
        if end == ordered.count, let last = frozen.keys.last {
            try connection.setFact(RepeatKey.reach, last.batch)
        }
    }

    private func stored(
        _ batch: Int64, _ device: Int64, _ batchID: String
    ) throws(StorageError) -> Found? {
        try findStored.bind(1, batch)
        try findStored.bind(2, device)
        try findStored.bind(3, batchID)
        defer { findStored.reset() }
        guard try findStored.step() else { return nil }
        return Found(batch: batch, accepted: findStored.int(0), rejected: findStored.int(1))
    }

    /// All batches that may not be in the table. Where these are more than memory has room for, as in a
    /// database that was filled by other means, it is entered at once.
    private func readBack() throws(StorageError) {
        let rowsAtOnce = min(generation, 4_096)
        let rows = try connection.prepare(
            """
            SELECT id, device, batch_id, first_time, last_time,
                profile = \(Profile.otlp.rawValue)
            FROM batch WHERE id > ? ORDER BY id LIMIT \(rowsAtOnce)
            """)
        reach = try connection.fact(RepeatKey.reach) ?? 0
        var reached = reach
        var count = 0
        repeat {
            try rows.bind(1, reached)
            count = 0
            while try rows.step() {
                reached = rows.int(0)
                let made = rows.withText(2) { digest.make(of: $0) }
                growing.append(RepeatKey(device: rows.int(1), digest: made, batch: reached))
                if rows.int(5) == 1, let first = rows.optionalInt(3), let last = rows.optionalInt(4)
                {
                    growingSpans.append(
                        RecentSpans.Times(batch: reached, first: first, last: last),
                        of: rows.int(1))
                }
                count += 1
            }
            rows.reset()
            committed()
            while growing.keys.count >= generation {
                try connection.transaction { () throws(StorageError) in
                    try enter(rowsAtOnce)
                }
                committed()
            }
        } while count == rowsAtOnce
    }
}

extension RepeatKey {
    fileprivate func enter(
        by insert: borrowing Statement, _ span: RecentSpans.Times?
    ) throws(StorageError) {
        try insert.bind(1, device)
        try insert.bind(2, digest)
        try insert.bind(3, batch)
        try insert.bind(4, span?.first)
        try insert.bind(5, span?.last)
        try insert.run()
    }
}
