/// What a `BodySource` has to say when it is asked for more.
package enum BodyStep: Sendable {
    /// Something was appended; ask again when there is room.
    case more
    /// Nothing is there yet; the source will call the `wake` it was given.
    case later
    /// That was all (what was appended by this call is still sent).
    case end
    /// The source broke; the connection is closed so that the client sees a truncated answer.
    case failed
}

/// The body of a streamed answer. It is asked for more when the output has room, so that what waits
/// for a slow client stays bounded.
package protocol BodySource: AnyObject, Sendable {
    /// Called once, before the first `pull`. `wake` may be called from any thread, any number of
    /// times, also after the end.
    func begin(wake: @escaping @Sendable () -> Void)
    /// Appends at most about `limit` bytes. Called on the connection's loop: it must not wait.
    func pull(into output: inout [UInt8], limit: Int) -> BodyStep
    /// The client went away, or the answer has no body (HEAD): nothing is pulled any more. Not
    /// called after `end` or `failed`.
    func cancel()
}
