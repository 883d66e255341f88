import Events

/// The events that match a step of a funnel: those of a name, or only those of them with one value
/// of one attribute (docs/reports.md, funnel).
package struct EventMatcher: Hashable, Sendable {
    /// The step as given.
    package let text: ByteText
    /// The name of the events.
    package let name: ByteText
    /// The key of the attribute; nil where any event of the name matches.
    package let attribute: ByteText?
    /// The value the attribute has to have: a string, or the JSON text of a number or boolean.
    package let value: ByteText

    /// Parses `name` or `name:attribute=value`, which the first `:` and the first `=` after it
    /// split. Nil for what can match no event: an invalid name, a key that is empty or longer than
    /// 64 bytes.
    package init?(parsing text: ByteText) {
        let parts = text.bytes.split(
            separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        let head = Array(parts[0])
        guard EventName.isValid(head.span) else { return nil }
        self.text = text
        name = ByteText(bytes: head)
        guard parts.count == 2 else {
            attribute = nil
            value = ByteText("")
            return
        }
        guard let equals = parts[1].firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let key = parts[1][..<equals]
        guard !key.isEmpty, key.count <= 64 else { return nil }
        attribute = ByteText(bytes: Array(key))
        value = ByteText(bytes: Array(parts[1][equals...].dropFirst()))
    }
}
