import Database
import Events

/// What a batch of many words needs before its transaction, done piece by piece, so that batches of
/// other apps are stored in between.
final class BatchPreparation {
    /// What is done next.
    enum Stage {
        /// Words are looked up.
        case lookUp
        /// A few new words are added in the batch's own transaction.
        case rest
        /// Words get rows.
        case draft
        /// Nothing: it may be stored.
        case ready
    }

    var stage = Stage.lookUp
    var words = BatchWords()
    /// Whether words have got rows.
    var hasDrafts = false
    /// As long as it is the tables' own, what is known of words holds.
    let epoch: NameTables.Epoch

    init(_ epoch: NameTables.Epoch) { self.epoch = epoch }
}

extension BatchInserter {
    /// Whether a batch may be stored without further preparation.
    func isPrepared(_ pending: PendingBatch) -> Bool {
        guard let preparation = pending.preparation else { return false }
        return preparation.epoch === names.epoch
            && (preparation.stage == .ready || preparation.stage == .rest)
    }

    /// Whether what a batch needs next changes nothing, and so may be done within a transaction.
    func isToBeLookedUp(_ pending: PendingBatch) -> Bool {
        if let comparison = pending.comparison, comparison.result == nil { return true }
        guard let preparation = pending.preparation, preparation.epoch === names.epoch else {
            return true
        }
        return preparation.stage == .lookUp
    }

    /// Does a piece of what a batch needs, outside a transaction unless it is only to be looked up.
    /// What has become wrong meanwhile is done again.
    /// - Parameter deadline: uptime in nanoseconds at which it is to stop
    func prepare(_ pending: PendingBatch, until deadline: UInt64) throws(StorageError) {
        guard try compare(pending, until: deadline) else { return }
        let preparation: BatchPreparation
        if let begun = pending.preparation, begun.epoch === names.epoch {
            preparation = begun
        } else {
            preparation = BatchPreparation(names.epoch)
            // A repeat brings nothing.
            if try isRepeat(pending.batch) { preparation.stage = .ready }
            pending.preparation = preparation
        }
        switch preparation.stage {
        case .lookUp:
            guard try names.lookUp(pending.fresh, into: &preparation.words, until: deadline) else {
                return
            }
            if preparation.words.fresh <= wordsInGroup {
                preparation.stage = .rest
            } else {
                try names.judge(pending.fresh, &preparation.words)
                preparation.stage = preparation.words.isMade ? .ready : .draft
            }
        case .draft:
            try connection.transaction { () throws(StorageError) in
                if !preparation.hasDrafts {
                    try drafts.begin(connection, next: next)
                    preparation.hasDrafts = true
                }
                try names.makeRows(
                    for: preparation.words.part ?? pending.fresh, &preparation.words,
                    until: deadline)
            }
            if preparation.words.isMade { preparation.stage = .ready }
        case .rest, .ready: return
        }
    }

    /// Whether a batch as a whole has come before.
    func isRepeat(_ batch: borrowing AcceptedBatch) throws(StorageError) -> Bool {
        guard let known = try devices.known(batch) else { return false }
        let digest = repeats.digest(of: batch.batchID)
        return try repeats.find(device: known.id, batchID: batch.batchID, digest: digest) != nil
    }
}
