/// A field of an answer. Names are words of the program; in values, bytes that could end the line
/// are written as spaces, so that no value can split an answer.
package struct HeaderField: Sendable {
    package var name: StaticString
    package var value: String

    package init(_ name: StaticString, _ value: String) {
        self.name = name
        self.value = value
    }
}
