/// How far a simulation is.
package struct Progress: Sendable, Equatable {
    /// Batches that were answered 200.
    package var answers = 0
    /// Events in them, each once.
    package var events = 0
    /// Answered batches that the server had already.
    package var repeats = 0
    /// Events that the server rejected.
    package var rejected: Int64 = 0
    /// Attempts that had to be repeated.
    package var retries = 0
    /// Batches of clocks that the server puts right, whose way took longer than a truth allows for.
    package var slow = 0
    /// How much of all lives is lived, from 0 to 1.
    package var share = 0.0
}
