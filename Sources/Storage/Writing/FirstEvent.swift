import Events

/// The earliest event of a device: by time, then by the octets of its batch's id, then by index
/// (docs/reports.md, Sessions). A minimum, so the order in which batches come does not matter.
struct FirstEvent {
    let time: Int64
    let batchID: String
    let index: Int64

    /// Of one batch; nil if it has no accepted event.
    init?(_ batch: borrowing AcceptedBatch) {
        guard var first = batch.events.first else { return nil }
        // In order of index: of equal times the first that comes is the least.
        for event in batch.events where event.time < first.time { first = event }
        time = first.time
        batchID = batch.batchID
        index = Int64(first.index)
    }

    /// Two batches of one device never have one id, so indexes need no comparing.
    func isBefore(batchID other: String) -> Bool {
        batchID.utf8.lexicographicallyPrecedes(other.utf8)
    }
}
