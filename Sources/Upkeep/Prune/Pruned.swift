import Storage

/// What a prune did.
package struct Pruned: Sendable, Equatable {
    /// What it was asked to keep: nothing from before that, milliseconds since 1970-01-01T00:00:00Z.
    package let limit: Int64
    /// Events that were deleted.
    package var events: Int64 = 0
    /// Batches that were left alone with all their events, since they are not what was written.
    package var damaged: Int64 = 0
    /// Names that no event has any more, and keys of attributes.
    package var names: Int64 = 0
    /// Octets that the file is shorter.
    package var freed: Int64 = 0
    /// False where it was stopped before its end.
    package var isWhole = true
}
