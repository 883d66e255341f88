/// Before which prunes have deleted what there was: older events are not taken any more (docs/operation.md,
/// Retention).
package struct PruneFloor: Sendable, Equatable {
    /// Before which that prune deleted, milliseconds since 1970-01-01T00:00:00Z.
    package let limit: Int64
    /// How old what that prune was to delete had to be, milliseconds; nil where a program from before did not note it.
    package let age: Int64?

    /// A limit and the age that it was made of.
    package init(limit: Int64, age: Int64?) {
        (self.limit, self.age) = (limit, age)
    }

    /// The limit in force. A clock that ran ahead made one that lies too late: it counts no further than the age
    /// reaches back from now, and not at all where it lies in the future and nobody noted the age.
    /// - Parameter now: milliseconds since 1970-01-01T00:00:00Z
    package func moment(at now: Int64) -> Int64 {
        guard let age else { return limit <= now ? limit : .min }
        let (moment, overflow) = now.subtractingReportingOverflow(age)
        return overflow ? limit : min(limit, moment)
    }

    /// Whether this one takes the place of another: of two the one that is later in force at `now`.
    package func replaces(_ other: PruneFloor?, at now: Int64) -> Bool {
        guard let other else { return true }
        return moment(at: now) > other.moment(at: now)
    }
}
