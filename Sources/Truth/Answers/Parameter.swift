/// A parameter of a question.
package struct Parameter: Sendable, Equatable {
    package let name: String
    package let value: String

    init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
