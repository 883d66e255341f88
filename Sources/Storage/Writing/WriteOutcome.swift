import Database
import Events

/// What became of a batch. Told only once its transaction has ended.
package enum WriteOutcome: Sendable, Equatable {
    /// On disk.
    case stored
    /// On disk, but for events that bring more names than the app has left.
    case storedInPart(NameVerdict)
    /// It was stored before, or earlier in the same transaction; the first answer's counts.
    case duplicate(accepted: Int, rejected: Int)
    /// Nothing was stored by this attempt; after a failed sync the batch may yet turn out to be there,
    /// whole, and its repeat is then a duplicate.
    case failed(WriteFailure)
}

/// Why a batch was not stored, as far as its sender should know.
package enum WriteFailure: Sendable, Equatable {
    /// The disk or a quota is full.
    case storageFull
    /// Any other error, which is in the log.
    case internalError
    /// Others need the memory in which it waited.
    case overloaded

    init(_ error: StorageError) {
        self = error.kind == .storageFull ? .storageFull : .internalError
    }
}

/// Why the writer did not accept a batch. Nothing was stored, and `reply` is not called.
package enum WriteRefusal: Sendable, Equatable {
    /// As many wait as may wait.
    case overloaded
    case closing
}

/// Whether a batch could be stored now.
package enum Readiness: Sendable {
    case ready
    /// The last attempt to write failed; the writer retries by itself.
    case failing(StorageError)
    case closed
}

/// A batch on its way to disk, and the reply that is due.
final class PendingBatch: @unchecked Sendable {
    let batch: AcceptedBatch
    let reply: @Sendable (WriteOutcome) -> Void
    /// What has been done for it before its transaction; nil: nothing. Only on the writer's queue.
    var preparation: BatchPreparation?

    init(_ batch: consuming AcceptedBatch, reply: @escaping @Sendable (WriteOutcome) -> Void) {
        self.batch = batch
        self.reply = reply
    }

    /// How many words it has.
    var words: Int { batch.names.count + batch.attributeKeys.count }
}

/// What became of a group.
struct GroupOutcome {
    /// All that were taken.
    let group: [PendingBatch]
    /// What became of each.
    var batches: [WriteOutcome]
    /// Why the first of those that failed did, or, if the writer is now in trouble, what put it there.
    var error: StorageError?
}
