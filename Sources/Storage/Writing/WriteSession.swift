import CSQLite
import Sealing

/// The one connection that writes, what is prepared on it, and whether it can be trusted. Only on the
/// writer's queue.
///
/// After a failed write or sync nobody knows what of the log is on disk: the kernel may have dropped
/// what it could not write and call the next sync a success. So such a connection is thrown away, and
/// a fresh one has to move the whole log to the file, and sync it, before anything else is promised
/// (docs/operation.md, Life of the process). The same holds at the start, for what a killed process
/// wrote but did not sync; what a failing one left is `DurableLog`'s affair.
final class WriteSession: @unchecked Sendable {
    private let path: String
    private let digest: RepeatDigest
    private let limits: Writer.Limits
    /// A full disk counts as full until so many octets are free, though a small write may succeed
    /// before: or the writer would be ready and not ready by turns.
    private static let enoughRoom: UInt64 = 1 << 20
    /// For how long a writer in trouble waits for readers of the log, in milliseconds: not longer,
    /// since everybody waits with it, and it tries again each second.
    private static let patienceInTrouble: Int32 = 100
    /// The same when it closes: what stays in the log is no loss.
    private static let patienceAtClose: Int32 = 1_000

    /// Of what should be moved at the latest: a log so many times as long is long.
    private static let longLog = 4

    /// Frames in the log from which on moving it is tried.
    private var nextCheckpoint: Int
    private var open: Open?
    /// No number below it is given to a batch: readers know batches by them as long as the process lives,
    /// and some that were given may have been erased.
    private var nextBatch: Int64 = 1
    /// Has the log open, and does nothing, so that SQLite's index of the log outlives the connection that
    /// writes: it ends with the last good commit, while a new one would be made of all that the kernel
    /// shows of the log.
    private var witness: Connection?
    /// Why the last attempt failed; nil while all is well.
    private(set) var trouble: StorageError?

    private struct Open {
        let connection: Connection
        let inserter: BatchInserter
    }

    init(path: String, key: MasterKey, limits: Writer.Limits) {
        self.path = path
        digest = RepeatDigest(key)
        self.limits = limits
        nextCheckpoint = limits.framesPerCheckpoint
    }

    /// Frames in the log as of the last commit.
    var framesInLog: Int { open?.connection.framesInLog ?? 0 }

    /// A connection whose every stored batch is on disk.
    private func trusted() throws(StorageError) -> Open {
        if let open { return open }
        if witness == nil {
            let reader = try Connection(path: path, mode: .read, cacheBytes: 0)
            // The log is opened with the first look into the file.
            _ = try reader.integer("PRAGMA schema_version")
            witness = reader
        }
        let connection = try Connection(path: path, mode: .write, cacheBytes: limits.cacheBytes)
        try connection.checkpoint(
            .truncate, patience: trouble == nil ? limits.patienceAtStart : Self.patienceInTrouble)
        let inserter = try BatchInserter(
            connection, digest, limits: limits, from: nextBatch)
        // What it has to read it reads now, not with the first batch.
        try connection.transaction { () throws(StorageError) in try inserter.beginGroup() }
        let fresh = Open(connection: connection, inserter: inserter)
        open = fresh
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
    private func failed(_ error: StorageError) {
        open?.connection.rollBack()
        open?.inserter.forget()
        trouble = error
        guard error.leavesLogInDoubt else { return }
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

    /// Stores a group in one transaction; where one of its batches cannot be stored, each in one of
    /// its own. What it returns holds for good: it is on disk, or rolled back.
    func store(_ group: [PendingBatch]) -> GroupOutcome {
        do throws(StorageError) {
            let open = try trusted()
            let error: StorageError
            do throws(StorageError) {
                return GroupOutcome(batches: try commit(group[...], on: open))
            } catch let caught {
                error = caught
            }
            guard error.mayLieInBatch else { throw error }
            open.inserter.forget()
            if group.count > 1 { return storeEach(group, on: open) }
            return GroupOutcome(batches: [.failed(WriteFailure(error))], error: error)
        } catch {
            failed(error)
            let outcome = WriteOutcome.failed(WriteFailure(error))
            return GroupOutcome(
                batches: Array(repeating: outcome, count: group.count), error: error)
        }
    }

    private func commit(
        _ group: ArraySlice<PendingBatch>, on open: Open
    ) throws(StorageError) -> [WriteOutcome] {
        let outcomes = try open.connection.transaction { () throws(StorageError) in
            try open.inserter.beginGroup()
            var outcomes: [WriteOutcome] = []
            outcomes.reserveCapacity(group.count)
            for pending in group { outcomes.append(try open.inserter.store(pending.batch)) }
            try open.inserter.finishGroup()
            return outcomes
        }
        open.inserter.committed()
        succeeded()
        return outcomes
    }

    /// One bad batch must not take the others with it. What fails for another reason ends it: then the
    /// rest fails too, and what was stored before stays stored.
    private func storeEach(_ group: [PendingBatch], on open: Open) -> GroupOutcome {
        var result = GroupOutcome(batches: [])
        for place in group.indices {
            do throws(StorageError) {
                result.batches += try commit(group[place...place], on: open)
            } catch {
                let outcome = WriteOutcome.failed(WriteFailure(error))
                guard error.mayLieInBatch else {
                    failed(error)
                    result.error = error
                    result.batches += Array(repeating: outcome, count: group.count - place)
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
    /// - Parameter keepsCodes: it changes no row of `device`, `name` or `resource`.
    func perform<T>(
        keepsCodes: Bool, _ work: (Connection) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        do throws(StorageError) {
            let open = try trusted()
            let before = sqlite3_total_changes64(open.connection.handle)
            defer {
                open.connection.rollBack()
                // It may have changed rows that are remembered.
                if !keepsCodes, sqlite3_total_changes64(open.connection.handle) != before {
                    open.inserter.forget()
                }
            }
            return try work(open.connection)
        } catch {
            if error.kind == .storageFull || error.leavesLogInDoubt { failed(error) }
            throw error
        }
    }

    /// Moves the log to the file where it is long, as far as readers let it. One that they hold up is let
    /// grow by a quarter before the next try, since each try looks at all frames that are left.
    /// - Parameter isAsked: now, however much it has grown
    /// - Returns: whether it is some times as long as it should be
    func shortenLog(isAsked: Bool) throws(StorageError) -> Bool {
        let frames = framesInLog
        if frames < limits.framesPerCheckpoint { nextCheckpoint = limits.framesPerCheckpoint }
        let isHeldUp: Bool
        if frames >= nextCheckpoint || isAsked && frames >= limits.framesPerCheckpoint {
            isHeldUp = try !checkpoint()
            nextCheckpoint =
                isHeldUp
                ? frames + max(limits.framesPerCheckpoint, frames / 4)
                : limits.framesPerCheckpoint
        } else {
            isHeldUp = nextCheckpoint > limits.framesPerCheckpoint
        }
        return isHeldUp && frames >= Self.longLog * limits.framesPerCheckpoint
    }

    /// - Returns: whether all of the log was moved, so that the next commit begins it anew
    private func checkpoint() throws(StorageError) -> Bool {
        guard let open else { return true }
        do throws(StorageError) {
            return try open.connection.checkpoint(.passive)
        } catch {
            // Somebody else checkpoints: then it is done.
            if error.kind == .busy { return true }
            failed(error)
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

    /// Moves all of the log to the file and closes. What does not fit, or what a reader holds up, stays
    /// in the log, where the next start finds it: it was synced when it was committed.
    func close() throws(StorageError) {
        defer { open = nil }
        // Whoever closes last removes the log.
        witness = nil
        guard let connection = open?.connection else { return }
        do throws(StorageError) {
            try connection.checkpoint(.truncate, patience: Self.patienceAtClose)
        } catch {
            if error.kind == .busy { return }
            throw error
        }
        connection.removeLogOnClose()
    }
}
