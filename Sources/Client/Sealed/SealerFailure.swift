/// Why bodies cannot be sealed or opened with what was given: what is missing or wrong. Never anything
/// of a key or a token.
package struct SealerFailure: Error, Equatable, CustomStringConvertible {
    /// One line to show: what cannot be done, and why.
    package let description: String

    init(_ description: String) { self.description = description }
}
