import Database
import Dispatch

/// What is no batch.
extension StoreWriter {
    /// Runs administrative work on the write connection between two groups, and waits for it. The work
    /// makes its own transaction; one it leaves open is rolled back. Not from within the writer.
    /// - Parameter keepsCodes: the work changes no row of `app`, `device`, `name` or `resource`, so that
    ///   the writer need not forget what it remembers of them. For what runs often.
    /// - Throws: what `work` throws, `closed`, and what keeps the writer from writing.
    package func perform<T: Sendable>(
        keepsCodes: Bool = false, _ work: @Sendable (Connection) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        try perform(keeping: keepsCodes ? .all : .none, work)
    }

    /// The same, where the writer has to forget some of what it remembers.
    /// - Parameter alone: whether the work moves the WAL itself, so that nobody else may
    package func perform<T: Sendable>(
        keeping: WriterMemory, alone: Bool = false,
        _ work: @Sendable (Connection) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        dispatchPrecondition(condition: .notOnQueue(queue))
        let result: Result<T, StorageError> = queue.sync {
            if case .closed = readiness { return .failure(.closed) }
            waiting.withLock { $0.owesSince = Deadline.now }
            // What has waited for it begins to wait for the writer.
            defer {
                waiting.withLock { waiting in
                    waiting.owesSince = waiting.isScheduled ? Deadline.now : nil
                }
            }
            // Groups do, but there may be no batches.
            defer { if !alone { shortenWAL(isAsked: false) } }
            return self.attempt { () throws(StorageError) in
                try session.perform(keeping: keeping, alone: alone, work)
            }
        }
        return try result.get()
    }
}
