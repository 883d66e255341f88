/// When the setting `retention` prunes, and what: once a day (docs/operation.md, Retention).
struct RetentionSchedule: Sendable {
    /// Milliseconds between the end of a prune and the next one.
    static let period: Int64 = 86_400_000

    /// How old sessions may become, milliseconds.
    let retention: Int64

    /// The limit of the prune that is due, milliseconds since 1970-01-01T00:00:00Z; nil: none is.
    /// - Parameters:
    ///   - now: as the limit
    ///   - lastEnd: when the last prune ended; nil: there was none
    func limit(at now: Int64, lastEnd: Int64?) -> Int64? {
        // A clock that was set back far must not put it off for as long.
        if let lastEnd, (now - lastEnd).magnitude < Self.period.magnitude { return nil }
        return now - retention
    }
}
