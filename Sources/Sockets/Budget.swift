import Synchronization

/// Octets that may be held in memory by all connections, and whoever shares it, together.
package final class Budget: Sendable {
    /// The most that is held, in octets.
    package let limit: Int
    private let held = Atomic<Int>(0)

    package init(limit: Int) { self.limit = limit }

    /// Octets held now.
    package var used: Int { held.load(ordering: .relaxed) }
    /// `false` once the limit is reached.
    package var hasRoom: Bool { used < limit }

    /// Takes `count` octets if they fit.
    package func reserve(_ count: Int) -> Bool {
        let (_, now) = held.add(count, ordering: .relaxed)
        if now <= limit { return true }
        held.subtract(count, ordering: .relaxed)
        return false
    }

    /// Takes `count` octets that are in memory already, beyond the limit if need be.
    package func force(_ count: Int) { held.add(count, ordering: .relaxed) }

    /// Gives back what was taken.
    package func release(_ count: Int) { held.subtract(count, ordering: .relaxed) }
}
