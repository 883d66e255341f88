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
