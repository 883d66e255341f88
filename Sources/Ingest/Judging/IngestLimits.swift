import Events
import JSON
import Synchronization

/// How much a body may hold (docs/operation.md, Settings).
package struct IngestLimits: Sendable {
    /// Bytes of JSON.
    package let maxInflatedBytes: Int
    package let maxBatchEvents: Int
    /// JSON values and members' names, or protobuf fields.
    package let maxElements: Int
    /// Milliseconds.
    package let maxEventAge: Int64
    /// No event from before it is taken.
    package let floor: EventFloor
    /// What is too large by these limits is judged by others elsewhere.
    let isProvisional: Bool

    package init(
        maxInflatedBytes: Int, maxBatchEvents: Int,
        maxElements: Int = Scanner.defaultMaxElements,
        maxEventAge: Int64, floor: EventFloor = EventFloor()
    ) {
        self.init(
            maxInflatedBytes: maxInflatedBytes, maxBatchEvents: maxBatchEvents,
            maxElements: maxElements, maxEventAge: maxEventAge, floor: floor, isProvisional: false)
    }

    private init(
        maxInflatedBytes: Int, maxBatchEvents: Int, maxElements: Int, maxEventAge: Int64,
        floor: EventFloor, isProvisional: Bool
    ) {
        self.maxInflatedBytes = maxInflatedBytes
        self.maxBatchEvents = maxBatchEvents
        self.maxElements = maxElements
        self.maxEventAge = maxEventAge
        self.floor = floor
        self.isProvisional = isProvisional
    }

    /// Thrown for a body that has more elements.
    var tooManyElements: BatchRefusal { isProvisional ? .tooMuchHere : .rule(.elements) }
    /// Thrown for a body that inflates to more bytes.
    var inflatedTooLarge: BatchRefusal { isProvisional ? .tooMuchHere : .inflatedTooLarge }

    /// The same, but for bodies that inflate to no more than that and have no more elements. Of one that does a worker
    /// throws `tooMuchHere`, and it has to be judged by the limits themselves.
    package func atMost(inflatedBytes: Int, elements: Int) -> IngestLimits {
        IngestLimits(
            maxInflatedBytes: min(maxInflatedBytes, inflatedBytes), maxBatchEvents: maxBatchEvents,
            maxElements: min(maxElements, elements), maxEventAge: maxEventAge, floor: floor,
            isProvisional: true)
    }
}

/// Before which no event is taken. Shared by all workers, so that a prune counts at once.
package final class EventFloor: Sendable {
    private let floor: Mutex<PruneFloor?>

    /// - Parameter floor: nil: there was no prune yet
    package init(_ floor: PruneFloor? = nil) { self.floor = Mutex(floor) }

    /// The moment before which no event is taken that arrives at another; both in milliseconds since
    /// 1970-01-01T00:00:00Z.
    package func moment(at arrival: Int64) -> Int64 {
        floor.withLock { $0?.moment(at: arrival) ?? .min }
    }

    /// A prune has begun, at `now`; one that reaches less far than those before changes nothing.
    package func raise(to new: PruneFloor, at now: Int64) {
        floor.withLock { if new.replaces($0, at: now) { $0 = new } }
    }
}
