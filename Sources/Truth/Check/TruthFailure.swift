/// Why a truth document or an answer cannot be read: one sentence.
package struct TruthFailure: Error, CustomStringConvertible, Equatable {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
