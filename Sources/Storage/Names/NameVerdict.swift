import Events

/// What of a batch is taken once `max-names` has been applied: as `AcceptedBatch` says it of the whole.
package struct NameVerdict: Sendable, Equatable {
    package let accepted: Int
    package let rejected: Int
    /// The first `Rejection.maxReported`.
    package let rejections: [Rejection]
    /// By code, in order of `EventRule`.
    package let rejectionCounts: [RejectionCount]

    init(_ part: borrowing AcceptedBatch) {
        accepted = part.events.count
        rejected = part.rejected
        rejections = part.rejections
        rejectionCounts = part.rejectionCounts
    }
}
