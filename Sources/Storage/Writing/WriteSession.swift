import CSQLite
import Database
import SQLiteFiles
import Sealing

/// The one connection that writes, what is prepared on it, and whether it can be trusted. Only on the
/// writer's queue.
///
/// After a failed write or sync it is unknown what of the WAL is on disk: the kernel may have dropped
/// what it could not write and call the next sync a success. So such a connection is thrown away, and
/// a new one has to move the whole WAL to the file, and sync it, before anything else is acknowledged
/// (docs/operation.md, Life of the process). The same holds at the start, for what a killed process
/// wrote but did not sync; what a failing one left is `DurableWAL`'s affair.
final class WriteSession: @unchecked Sendable {
    private let path: String
    private let digest: RepeatDigest
    let limits: StoreWriter.WriteLimits
    /// A full disk counts as full until so many bytes are free, though a small write may succeed
    /// before: or the writer would be ready and not ready by turns.
    private static let enoughRoom: UInt64 = 1 << 20
    /// How long a writer in trouble waits for readers of the WAL, in milliseconds: not longer,
    /// since everybody waits with it, and it tries again each second.
    private static let patienceInTrouble: Int32 = 100
    /// The same when it closes: what stays in the WAL is not lost.
    private static let patienceAtClose: Int32 = 1_000

    /// The number of frames in the WAL at which a checkpoint is tried.
    var nextCheckpoint: Int
    /// How many frames it had when all of them were moved to the file, as long as it has no others; nil where some are
    /// to be moved, or nobody knows.
    var movedFrames: Int?
    /// The most frames that it had since its file was cut: so long is the file, or has been.
    var longestWAL = 0
    private(set) var open: WritingConnection?
    /// No number below it is given to a batch: readers know batches by them as long as the process lives,
    /// and some that were given may have been erased.
    private var nextBatch: Int64 = 1
    /// Keeps the WAL open, and does nothing, so that SQLite's WAL index outlives the connection that
    /// writes: it ends with the last good commit, while a new one would be made of all that the kernel
    /// shows of the WAL.
    private var witness: Connection?
    /// What its connections get done.
    let steps = StepCount()
    /// How long the last commit of a group took, its sync above all, in nanoseconds; before the first the greatest
    /// number.
    private(set) var lastCommit = UInt64.max
    /// How long it took to fill the last group, in nanoseconds.
    private var lastGroup: UInt64 = 0
    /// Why the last attempt failed; nil while all is well.
    private(set) var trouble: StorageError?

    init(path: String, key: MasterKey, limits: StoreWriter.WriteLimits) {
        self.path = path
        digest = RepeatDigest(key)
        self.limits = limits
        nextCheckpoint = limits.framesPerCheckpoint
    }

    /// Frames in the WAL as of the last commit.
    var framesInWAL: Int { open?.connection.framesInWAL ?? 0 }

    /// A connection whose every stored batch is on disk.
    private func trusted() throws(StorageError) -> WritingConnection {
        if let open { return open }
        if witness == nil {
            let reader = try Connection(path: path, mode: .read, cacheBytes: 0)
            // SQLite opens the WAL when it first reads the file.
            _ = try reader.integer("PRAGMA schema_version")
            witness = reader
        }
        let connection = try Connection(
            path: path, mode: .write, cacheBytes: limits.cacheBytes, through: WALBuffer())
        _ = try connection.integer("PRAGMA schema_version")
        connection.count(in: steps)
        try connection.checkpoint(
            .truncate, patience: trouble == nil ? limits.patienceAtStart : Self.patienceInTrouble)
        try connection.transaction { () throws(StorageError) in
            try WordDrafts.deleteUnused(connection)
        }
        if limits.notesChanges { try ChangeNotes.begin(on: connection) }
        let inserter = try BatchInserter(
            connection, digest, limits: limits, from: nextBatch)
        // What it has to read it reads now, not with the first batch.
        try connection.transaction { () throws(StorageError) in try inserter.beginGroup() }
        let fresh = WritingConnection(
            connection: connection, inserter: inserter, mover: WALMover(path: path))
        open = fresh
        (nextCheckpoint, movedFrames, longestWAL) = (limits.framesPerCheckpoint, nil, 0)
        return fresh
    }

    /// Opens, so that what is wrong shows at the start and not with the first batch.
    func start() throws(StorageError) {
        do throws(StorageError) {
            _ = try trusted()
        } catch {
            failed(error)
            throw error
        }
    }

    /// Notes a failure, and lets go of the connection where what it wrote is in doubt.
    func failed(_ error: StorageError) {
        open?.mover.wait()
        open?.connection.rollBack()
        open?.inserter.forget()
        trouble = error
        guard error.leavesWALInDoubt else { return }
        nextBatch = max(nextBatch, open?.inserter.next ?? 0)
        open = nil
    }

    /// Notes that a write reached the disk.
    private func succeeded() {
        if let trouble, trouble.kind == .storageFull, !hasRoom { return }
        trouble = nil
    }

    private var hasRoom: Bool {
        FileSystem.room(at: FileSystem.parent(of: path)).map { $0 >= Self.enoughRoom } ?? true
    }

    /// Whether a batch may go into a group without further preparation. One that may not, because nothing
    /// is open, is prepared in vain.
    func isPrepared(_ pending: PendingBatch) -> Bool { open?.inserter.isPrepared(pending) ?? false }

    /// Whether a batch may join a group now, or once its words are looked up: most are known to their
    /// app.
    /// - Parameter deadline: uptime in nanoseconds at which the glance ends
    func isPrepared(_ pending: PendingBatch, orBy deadline: UInt64) -> Bool {
        guard let inserter = open?.inserter else { return false }
        if inserter.isPrepared(pending) { return true }
        guard inserter.isToBeLookedUp(pending) else { return false }
        // What is wrong shows again where it is prepared.
        do throws(StorageError) { try inserter.prepare(pending, until: deadline) } catch {
            return false
        }
        return inserter.isPrepared(pending)
    }

    /// Whether it is known which of a batch's records are stored; as far as time allows that is found out now.
    /// - Parameter deadline: uptime in nanoseconds at which the glance ends
    func isCompared(_ pending: PendingBatch, orBy deadline: UInt64) -> Bool {
        guard let inserter = open?.inserter else { return true }
        // What is wrong shows again where it is stored.
        do throws(StorageError) { return try inserter.compare(pending, until: deadline) } catch {
            return true
        }
    }

    /// Does a piece of what a batch needs before its group.
    /// - Parameter deadline: uptime in nanoseconds at which it is to stop
    /// - Throws: what keeps it from being stored
    func prepare(_ pending: PendingBatch, until deadline: UInt64) throws(StorageError) {
        do throws(StorageError) {
            try trusted().inserter.prepare(pending, until: deadline)
        } catch {
            if error.mayLieInBatch {
                open?.inserter.forget()
            } else {
                failed(error)
            }
            throw error
        }
    }

    /// Stores a group in one transaction; where one of its batches cannot be stored, each in one of
    /// its own. What it returns holds for good: it is on disk, or rolled back.
    /// - Parameters:
    ///   - first: where the group begins
    ///   - next: the others, one by one; nil where the group ends
    func store(_ first: PendingBatch, _ next: () -> PendingBatch?) -> GroupOutcome {
        var group = [first]
        // What fails takes all with it that would have been in the group, or each would try in vain.
        func takeRest() { while let pending = next() { group.append(pending) } }
        do throws(StorageError) {
            let open = try trusted()
            let error: StorageError
            do throws(StorageError) {
                let outcomes = try commit(on: open) { index in
                    if index < group.count { return group[index] }
                    guard let pending = next() else { return nil }
                    group.append(pending)
                    return pending
                }
                return GroupOutcome(group: group, batches: outcomes)
            } catch let caught {
                error = caught
            }
            takeRest()
            guard error.mayLieInBatch else { throw error }
            open.inserter.forget()
            if group.count > 1 { return storeEach(group, on: open) }
            return GroupOutcome(
                group: group, batches: [.failed(WriteFailure(error))], error: error)
        } catch {
            failed(error)
            takeRest()
            let outcome = WriteOutcome.failed(WriteFailure(error))
            return GroupOutcome(
                group: group, batches: Array(repeating: outcome, count: group.count), error: error)
        }
    }

    /// - Parameter member: of the group, by its index; nil after the last one
    private func commit(
        on open: WritingConnection, _ member: (Int) -> PendingBatch?
    ) throws(StorageError) -> [WriteOutcome] {
        var begin: UInt64 = 0
        let outcomes = try open.connection.transaction { () throws(StorageError) in
            // Not shorter than the last group took, or it would never end beside full ones; but one of these may have
            // waited for its disk.
            try open.inserter.beginGroup(
                slice: max(limits.sliceNanoseconds, min(lastGroup, limits.groupNanoseconds)))
            let start = Deadline.now
            var outcomes: [WriteOutcome] = []
            while let pending = member(outcomes.count) {
                outcomes.append(try open.inserter.store(pending))
            }
            try open.inserter.finishGroup()
            begin = Deadline.now
            lastGroup = begin &- start
            return outcomes
        }
        lastCommit = Deadline.now &- begin
        open.inserter.committed()
        succeeded()
        return outcomes
    }

    /// One bad batch must not take the others with it. What fails for another reason ends it: then the
    /// rest fails too, and what was stored before stays stored.
    private func storeEach(_ group: [PendingBatch], on open: WritingConnection) -> GroupOutcome {
        var result = GroupOutcome(group: group, batches: [])
        for index in group.indices {
            do throws(StorageError) {
                result.batches += try commit(on: open) { $0 == 0 ? group[index] : nil }
            } catch {
                let outcome = WriteOutcome.failed(WriteFailure(error))
                guard error.mayLieInBatch else {
                    failed(error)
                    result.error = error
                    result.batches += Array(repeating: outcome, count: group.count - index)
                    return result
                }
                open.inserter.forget()
                result.error = result.error ?? error
                result.batches.append(outcome)
            }
        }
        return result
    }

    /// Runs work that is not a batch. What it throws for its own reasons is no trouble.
    /// - Parameters:
    ///   - keeping: what of the rows that are remembered it does not change
    ///   - alone: whether it moves the WAL itself
    func perform<T>(
        keeping: WriterMemory, alone: Bool, _ work: (Connection) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        do throws(StorageError) {
            let open = try trusted()
            if alone { open.mover.wait() }
            let before = sqlite3_total_changes64(open.connection.handle)
            defer {
                open.connection.rollBack()
                // It may have changed rows that are remembered.
                if sqlite3_total_changes64(open.connection.handle) != before {
                    switch keeping {
                    case .all: break
                    case .allButCodes: open.inserter.forgetCodes()
                    case .allButBatches(let devices): open.inserter.forgetBatches(of: devices)
                    case .none: open.inserter.forget()
                    }
                }
            }
            return try work(open.connection)
        } catch {
            if error.kind == .storageFull || error.leavesWALInDoubt { failed(error) }
            throw error
        }
    }

    /// Whether `mergeSome` may have something to do. Not in trouble: batches come first.
    var hasDueMerges: Bool { trouble == nil && open?.inserter.hasDueMerges ?? false }

    /// Merges small segments, until a deadline. A full disk is no trouble here: a batch may need less room.
    /// - Parameter deadline: uptime in nanoseconds
    func mergeSome(until deadline: UInt64) throws(StorageError) {
        guard hasDueMerges, let open else { return }
        do throws(StorageError) { try open.mergeSome(until: deadline) } catch {
            if error.leavesWALInDoubt { failed(error) }
            throw error
        }
    }

    /// Tries whether a batch could be stored, by a small write of its own.
    func probe() throws(StorageError) {
        if let trouble, trouble.kind == .storageFull, !hasRoom { return }
        do throws(StorageError) {
            let connection = try trusted().connection
            try connection.transaction { () throws(StorageError) in
                try connection.setFact("probe", RandomBytes.make(4096))
            }
            succeeded()
        } catch {
            failed(error)
            throw error
        }
    }

    /// Moves the whole WAL to the file and closes. What does not fit, or what a reader blocks, stays
    /// in the WAL, where the next start finds it: it was synced when it was committed.
    func close() throws(StorageError) {
        open?.mover.wait()
        let connection = open?.connection
        // The last connection to close removes the WAL.
        open = nil
        witness = nil
        guard let connection else { return }
        do throws(StorageError) {
            try connection.checkpoint(.truncate, patience: Self.patienceAtClose)
        } catch {
            if error.kind == .busy { return }
            throw error
        }
        connection.removeWALOnClose()
    }
}
