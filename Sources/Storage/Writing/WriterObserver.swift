import Database

/// What the writer tells of itself, on its own queue: be quick. For metrics and the log.
package struct WriterObserver: Sendable {
    /// A transaction is on disk.
    package var committed: @Sendable (Commit) -> Void
    /// A write, a sync or a checkpoint failed, or a batch could not be stored: the first is told at
    /// once, then at most one a second.
    package var failed: @Sendable (Failure) -> Void
    /// It can write again, after a failure that was told.
    package var recovered: @Sendable () -> Void

    /// One that does nothing but what is given.
    package init(
        committed: @escaping @Sendable (Commit) -> Void = { _ in },
        failed: @escaping @Sendable (Failure) -> Void = { _ in },
        recovered: @escaping @Sendable () -> Void = {}
    ) {
        self.committed = committed
        self.failed = failed
        self.recovered = recovered
    }

    /// Why something could not be written. As text one line for the log.
    package struct Failure: Sendable, CustomStringConvertible {
        /// What went wrong.
        package let error: StorageError
        /// How many failures were not told since the last one that was.
        package let leftOut: Int

        /// The error, and how many more there were.
        package var description: String {
            leftOut == 0 ? "\(error)" : "\(error) (and \(leftOut) failures before it)"
        }
    }

    /// One group of batches that went to disk together, or one by one where one of them could not.
    package struct Commit: Sendable, Equatable {
        /// All that are on disk, repeats too.
        package let batches: Int
        /// Those that were stored before.
        package let repeats: Int
        /// From the begin of the transaction to the end of its sync, or of the last one's.
        package let nanoseconds: UInt64
    }
}
