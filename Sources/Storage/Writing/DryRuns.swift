import Database
import Dispatch
import Events
import Synchronization

/// Says what `max-names` would leave of a batch, as the database is now, and stores nothing. On a
/// connection and a queue of its own, app by app in turn and piece by piece: neither the writer nor
/// another app waits.
package final class DryRuns: @unchecked Sendable {
    private struct Waiting {
        /// By app.
        var batches = Turns<Int64, Pending>()
        /// Work is on the queue, or will be, that takes what waits.
        var isScheduled = false
        var isClosed = false
    }

    private final class Pending: @unchecked Sendable {
        let batch: AcceptedBatch
        let reply: @Sendable (Result<NameVerdict, StorageError>?) -> Void
        /// Only on the queue.
        var words = BatchWords()

        init(
            _ batch: consuming AcceptedBatch,
            reply: @escaping @Sendable (Result<NameVerdict, StorageError>?) -> Void
        ) {
            self.batch = batch
            self.reply = reply
        }
    }

    private typealias Opened = (connection: Connection, tables: NameTables)

    private let path: String
    private let limits: StoreWriter.WriteLimits
    private let queue = DispatchQueue(label: "sojourn.dryrun")
    private let waiting = Mutex(Waiting())
    /// Only on the queue; nil until it is needed, and after a failure.
    private var opened: Opened?

    init(path: String, limits: StoreWriter.WriteLimits) {
        self.path = path
        self.limits = limits
    }

    /// From any thread; never waits.
    /// - Parameter reply: called once, on the queue; nil: others need the memory in which it waited, or the store
    ///   closes
    /// - Returns: false where too many wait or the store is closed; `reply` is never called then
    package func judge(
        _ batch: consuming AcceptedBatch,
        reply: @escaping @Sendable (Result<NameVerdict, StorageError>?) -> Void
    ) -> Bool {
        let app = batch.app
        let pending = Pending(batch, reply: reply)
        var mustSchedule = false
        var displaced: Pending?
        let isTaken = waiting.withLock { waiting in
            if waiting.isClosed { return false }
            switch waiting.batches.makeRoom(for: app, limit: limits.pendingBatches) {
            case .free: break
            case .insteadOf(let last): displaced = last
            case .none: return false
            }
            waiting.batches.append(pending, of: app)
            mustSchedule = !waiting.isScheduled
            waiting.isScheduled = true
            return true
        }
        if mustSchedule { queue.async { self.work() } }
        if let displaced { queue.async { displaced.reply(nil) } }
        return isTaken
    }

    /// A piece of the next app's first batch, then back to the end of the queue.
    private func work() {
        let next = waiting.withLock { $0.batches.look { _ in true } }
        if let next {
            let result = Result { () throws(StorageError) in try work(on: next) }
            if case .failure = result { opened = nil }
            switch result {
            case .success(nil): break
            case .success(.some(let verdict)): finish(next, .success(verdict))
            case .failure(let error): finish(next, .failure(error))
            }
        }
        let goesOn = waiting.withLock { waiting in
            waiting.isScheduled = !waiting.batches.isEmpty
            return waiting.isScheduled
        }
        if goesOn { queue.async { self.work() } }
    }

    /// Sends away what waits and closes the database; nothing more is judged.
    func close() {
        waiting.withLock { $0.isClosed = true }
        queue.sync {
            while let pending = waiting.withLock({ $0.batches.next() }) {
                pending.reply(nil)
            }
            opened = nil
        }
    }

    private func finish(_ pending: Pending, _ result: Result<NameVerdict, StorageError>) {
        _ = waiting.withLock { $0.batches.takeFirst(of: pending.batch.app) }
        pending.reply(result)
    }

    private func work(on pending: Pending) throws(StorageError) -> NameVerdict? {
        let (connection, tables) = try open()
        return try connection.snapshot { () throws(StorageError) in
            // What others have stored or pruned since counts.
            tables.forget()
            let isBegun = pending.words.isBegun
            let deadline = Deadline.after(limits.sliceNanoseconds)
            guard try tables.lookUp(pending.batch, into: &pending.words, until: deadline) else {
                return nil
            }
            try tables.judge(pending.batch, &pending.words)
            if isBegun, pending.words.part != nil {
                // Words of earlier pieces may have been stored since, and count among the app's own
                // too: what rejects has to be of one state. That takes others a turn that is as long as
                // the batch.
                pending.words.removeAll()
                _ = try tables.lookUp(pending.batch, into: &pending.words)
                try tables.judge(pending.batch, &pending.words)
            }
            return NameVerdict(pending.words.part ?? pending.batch)
        }
    }

    private func open() throws(StorageError) -> Opened {
        if let opened { return opened }
        let connection = try Connection(path: path, mode: .read)
        let fresh = (connection, try NameTables(connection, limit: limits.maxNames))
        opened = fresh
        return fresh
    }
}
