/// Which attribute of events is asked for.
package enum AttributeKey: Hashable, Sendable {
    /// One by its row of `attribute_key`.
    case row(Int64)
    /// `session.id`, which stands beside the others.
    case session
    /// One that no event has had yet.
    case none
}
