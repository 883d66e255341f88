import Synchronization

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
