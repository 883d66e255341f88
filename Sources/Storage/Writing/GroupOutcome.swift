import Database

/// What became of a group.
struct GroupOutcome {
    /// All that were taken.
    let group: [PendingBatch]
    /// What became of each.
    var batches: [WriteOutcome]
    /// Why the first of those that failed did, or, if the writer is now in trouble, what put it there.
    var error: StorageError?
}
