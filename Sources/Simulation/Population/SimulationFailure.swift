/// Why there can be no such simulation, or why one could not go on.
package struct SimulationFailure: Error, Equatable, CustomStringConvertible {
    /// Whose it is.
    package enum Kind: Sendable, Equatable {
        /// There can be no such simulation.
        case usage
        /// The server will never take a batch of it.
        case refused
        /// The server could not be asked, or not now.
        case unavailable
        /// The client that every device runs does what it must not.
        case client
    }

    /// What is wrong, as the end of a sentence.
    package let reason: String
    /// What a command ends with depends on it.
    package var kind = Kind.usage

    /// One line to show.
    package var description: String { "cannot simulate: \(reason)" }
}
