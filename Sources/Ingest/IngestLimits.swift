/// How much a body may hold (docs/operation.md, Settings).
package struct IngestLimits: Sendable {
    /// Octets of JSON.
    package let maxInflatedBytes: Int
    package let maxBatchEvents: Int
    /// Milliseconds.
    package let maxEventAge: Int64

    package init(maxInflatedBytes: Int, maxBatchEvents: Int, maxEventAge: Int64) {
        self.maxInflatedBytes = maxInflatedBytes
        self.maxBatchEvents = maxBatchEvents
        self.maxEventAge = maxEventAge
    }

    /// The same, but for bodies that inflate to no more than that.
    package func atMost(inflatedBytes: Int) -> IngestLimits {
        IngestLimits(
            maxInflatedBytes: min(maxInflatedBytes, inflatedBytes), maxBatchEvents: maxBatchEvents,
            maxEventAge: maxEventAge)
    }
}
