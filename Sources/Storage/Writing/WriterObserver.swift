import Database
import Events

/// Called by the writer on its own queue: be quick. For metrics and the log.
package struct WriterObserver: Sendable {
    /// A transaction is on disk.
    package var committed: @Sendable (Commit) -> Void
    /// A write, a sync or a checkpoint failed, or a batch could not be stored: the first is reported at
    /// once, then at most one a second.
    package var failed: @Sendable (Failure) -> Void
    /// It can write again, after a failure that was reported.
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

    /// Why something could not be written. Its description is one line for the log.
    package struct Failure: Sendable, CustomStringConvertible {
        /// What went wrong.
        package let error: StorageError
        /// How many failures were not reported since the last one that was.
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

/// Which failures are worth a line in the log: the first at once, then at most one a second. A disk
/// that is full for some and not for others would otherwise fill it with turns for good and ill.
struct FailureNotices {
    /// Nanoseconds.
    static let interval: UInt64 = 1_000_000_000

    private var lastTold: UInt64?
    private var leftOut = 0
    /// A failure was reported, and its end is not yet.
    private var isTroubleTold = false

    /// Takes a failure into account.
    /// - Parameter now: of a monotonic clock, nanoseconds
    /// - Parameter isTrouble: it keeps the writer from writing.
    /// - Returns: how many were left out since the last reported one; nil if this one is left out too
    mutating func failure(at now: UInt64, isTrouble: Bool) -> Int? {
        if let lastTold, now < lastTold + Self.interval {
            leftOut += 1
            return nil
        }
        lastTold = now
        if isTrouble { isTroubleTold = true }
        defer { leftOut = 0 }
        return leftOut
    }

    /// The writer is out of trouble: whether that is worth telling.
    mutating func recovery() -> Bool {
        defer { isTroubleTold = false }
        return isTroubleTold
    }
}

/// What the writer may keep in memory of rows after administrative work that changed some.
package enum WriterMemory: Sendable {
    case all
    /// Rows of names, attribute keys and resources were deleted.
    case allButCodes
    /// Batches were deleted, and perhaps rows of these devices; no words.
    case allButBatches(of: [StoredDevice])
    case none
}

/// A row of `device`.
package struct StoredDevice: Sendable {
    /// Its row, and its app's.
    package let row, app: Int64
    /// Its hash.
    package let hash: DeviceHash

    /// All of it as given.
    package init(row: Int64, app: Int64, hash: DeviceHash) {
        (self.row, self.app, self.hash) = (row, app, hash)
    }
}
