import Events

/// A batch on its way to disk, and who waits for it.
final class PendingBatch: Sendable {
    let batch: AcceptedBatch
    let reply: @Sendable (WriteOutcome) -> Void

    init(_ batch: consuming AcceptedBatch, reply: @escaping @Sendable (WriteOutcome) -> Void) {
        self.batch = batch
        self.reply = reply
    }
}
