import Database
import Events

/// What became of a batch. Told only once its transaction has ended.
package enum WriteOutcome: Sendable, Equatable {
    /// On disk.
    case stored
    /// On disk, but for events that bring more names than the app has left, and for records that were stored before.
    case storedInPart(NameVerdict)
    /// It was stored before, or earlier in the same transaction; the first answer's counts.
    case duplicate(accepted: Int, rejected: Int)
    /// The same of a batch whose records are known one by one, where some were rejected then for the names that they
    /// bring: how many, and which was the first.
    case duplicateInPart(RejectionCount)
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
    /// The comparison of its records with those that are stored. Only on the writer's queue.
    var comparison: RecordComparison?

    init(_ batch: consuming AcceptedBatch, reply: @escaping @Sendable (WriteOutcome) -> Void) {
        self.batch = batch
        self.reply = reply
    }

    /// How many words it has.
    var words: Int { batch.names.count + batch.attributeKeys.count }

    /// Its comparison has begun and is not through.
    var isBeingCompared: Bool { comparison.map { $0.result == nil } ?? false }

    /// What of it has not been stored, once that is known.
    var fresh: AcceptedBatch { comparison?.fresh ?? batch }
}

/// Batches that wait in one place: those of a request, which are stored one after another.
final class PendingRequest: @unchecked Sendable {
    /// All but the first: mostly none.
    private let others: [PendingBatch]
    /// The batch that is next. Only under the lock of its holder, as `taken`.
    private(set) var first: PendingBatch
    private var taken = 0

    /// Batches of one app.
    init(_ first: PendingBatch, others: [PendingBatch] = []) {
        self.first = first
        self.others = others
    }

    /// The one that is next has been taken.
    /// - Returns: whether it was the last
    func take() -> Bool {
        guard taken < others.count else { return true }
        first = others[taken]
        taken += 1
        return false
    }

    /// Tells all that are left what became of them.
    func reply(_ outcome: WriteOutcome) {
        first.reply(outcome)
        for batch in others[taken...] { batch.reply(outcome) }
    }
}

/// Collects what became of the batches of a request, and tells it when the last is known. Only on the writer's
/// queue.
final class OutcomeCollector: @unchecked Sendable {
    private var outcomes: [WriteOutcome?]
    private var missing: Int
    private let reply: @Sendable ([WriteOutcome]) -> Void

    init(count: Int, reply: @escaping @Sendable ([WriteOutcome]) -> Void) {
        outcomes = Array(repeating: nil, count: count)
        missing = count
        self.reply = reply
    }

    func note(_ outcome: WriteOutcome, of index: Int) {
        outcomes[index] = outcome
        missing -= 1
        if missing == 0 { reply(outcomes.compactMap { $0 }) }
    }
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
