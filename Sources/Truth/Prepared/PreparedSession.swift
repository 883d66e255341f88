/// A session, whole.
struct PreparedSession: Sendable {
    /// The event that it starts with.
    let first: PreparedEvent
    /// Foreground time, milliseconds.
    let duration: BoundedTime
    /// It ends in the background.
    let isClosed: Bool
}
