/// How much a body may hold (docs/operation.md, Settings).
package struct IngestLimits: Sendable {
    /// Octets of JSON.
    package let maxInflatedBytes: Int
    package let maxBatchEvents: Int
    /// Milliseconds.
    package let maxEventAge: Int64
    /// No event from before it is taken.
    package let floor: EventFloor

    package init(
        maxInflatedBytes: Int, maxBatchEvents: Int, maxEventAge: Int64,
        floor: EventFloor = EventFloor()
    ) {
        self.maxInflatedBytes = maxInflatedBytes
        self.maxBatchEvents = maxBatchEvents
        self.maxEventAge = maxEventAge
        self.floor = floor
    }

    /// The same, but for bodies that inflate to no more than that.
    package func atMost(inflatedBytes: Int) -> IngestLimits {
        IngestLimits(
            maxInflatedBytes: min(maxInflatedBytes, inflatedBytes), maxBatchEvents: maxBatchEvents,
            maxEventAge: maxEventAge, floor: floor)
    }
}
