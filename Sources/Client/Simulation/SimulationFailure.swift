/// Why there can be no such simulation, or why one could not go on.
package struct SimulationFailure: Error, Equatable, CustomStringConvertible {
    /// What is wrong, as the end of a sentence.
    package let reason: String

    /// One line to show.
    package var description: String { "cannot simulate: \(reason)" }
}
