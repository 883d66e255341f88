/// A session, whole.
struct PreparedSession: Sendable {
    /// The event that it starts with.
    let first: PreparedEvent
    /// Foreground time, milliseconds.
    let duration: BoundedTime
    /// Its last event is `session.end`.
    let isClosed: Bool
}
