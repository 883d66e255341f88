/// What became of the batches of a group, in their order.
struct GroupOutcome {
    var batches: [WriteOutcome]
    /// Why the first of those that failed did, or, if the writer is now in trouble, what put it there.
    var error: StorageError?
}
