import Events

/// A batch on its way to disk, and who waits for it.
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
