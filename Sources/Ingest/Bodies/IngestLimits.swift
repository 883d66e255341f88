import Synchronization

/// How much a body may hold (docs/operation.md, Settings).
package struct IngestLimits: Sendable {
    /// Bytes of JSON.
    package let maxInflatedBytes: Int
    package let maxBatchEvents: Int
    /// Milliseconds.
    package let maxEventAge: Int64
    /// No event from before it is taken.
    package let floor: EventFloor
    /// What is too large by these limits is judged by others elsewhere.
    let isProvisional: Bool

    package init(
        maxInflatedBytes: Int, maxBatchEvents: Int, maxEventAge: Int64,
        floor: EventFloor = EventFloor()
    ) {
        self.init(
            maxInflatedBytes: maxInflatedBytes, maxBatchEvents: maxBatchEvents,
            maxEventAge: maxEventAge, floor: floor, isProvisional: false)
    }

    private init(
        maxInflatedBytes: Int, maxBatchEvents: Int, maxEventAge: Int64, floor: EventFloor,
        isProvisional: Bool
    ) {
        self.maxInflatedBytes = maxInflatedBytes
        self.maxBatchEvents = maxBatchEvents
        self.maxEventAge = maxEventAge
        self.floor = floor
        self.isProvisional = isProvisional
    }

    /// The same, but for bodies that inflate to no more than that; whoever finds one that does has to
    /// have it judged by the limits themselves.
    package func atMost(inflatedBytes: Int) -> IngestLimits {
        IngestLimits(
            maxInflatedBytes: min(maxInflatedBytes, inflatedBytes), maxBatchEvents: maxBatchEvents,
            maxEventAge: maxEventAge, floor: floor, isProvisional: true)
    }
}

/// The moment before which no event is taken: the greatest limit of all prunes. Shared by all workers,
/// so that a prune counts at once.
package final class EventFloor: Sendable {
    private let limit: Atomic<Int64>

    /// - Parameter moment: milliseconds since 1970-01-01T00:00:00Z; nil: there was no prune yet
    package init(_ moment: Int64? = nil) { limit = Atomic(moment ?? .min) }

    /// Milliseconds since 1970-01-01T00:00:00Z.
    package var moment: Int64 { limit.load(ordering: .relaxed) }

    /// A prune has begun; one with a lower limit than those before changes nothing.
    package func raise(to moment: Int64) { limit.max(moment, ordering: .relaxed) }
}
