/// Where a text stops being I-JSON, and which rule it breaks there (RFC 8259, RFC 7493).
package struct Malformed: Error, Hashable, Sendable {
    /// The offset of the first byte that cannot stand there; the text's length where it ends too
    /// soon.
    package let offset: Int
    package let rule: Rule

    package enum Rule: String, Hashable, CaseIterable, Sendable {
        /// An byte that the grammar does not allow there.
        case syntax
        /// The text ends inside a value.
        case truncated
        /// Something but white space follows the value.
        case trailing
        /// The text begins with U+FEFF.
        case byteOrderMark
        /// Not UTF-8: a stray, overlong, surrogate or too large sequence.
        case encoding
        /// A control character that is not escaped.
        case control
        /// A backslash before something that is no escape.
        case escape
        /// An escaped surrogate without its other half.
        case surrogate
        /// U+0000, raw or escaped.
        case zero
        /// Not a number as the grammar has it.
        case number
        /// A member's name stands twice in one object.
        case duplicate
        /// Objects and arrays lie deeper than allowed.
        case depth
        /// It has more values and names than allowed.
        case elements
    }

    package init(offset: Int, rule: Rule) {
        self.offset = offset
        self.rule = rule
    }
}
