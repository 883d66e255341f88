import Events

/// Which events a step of a funnel means: those of a name, or of these only those with a value of one
/// attribute (docs/reports.md, funnel).
package struct EventMatcher: Hashable, Sendable {
    /// As given.
    package let text: ByteText
    /// The name of the events.
    package let name: ByteText
    /// The key of the attribute; nil where any event of the name fits.
    package let attribute: ByteText?
    /// What the attribute has to be: a string, or the JSON text of a number or boolean.
    package let value: ByteText

    /// `name` or `name:attribute=value`: the first `:` and the first `=` behind it divide. Nil for
    /// what can match no event: a name that is none, a key that is empty or has more than 64 bytes.
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
