/// What stands next in a text: a scalar whole, of an object or array only its opening. Four words,
/// so that it travels in registers.
package struct Token: Hashable, Sendable {
    package enum Kind: UInt8, Hashable, Sendable {
        /// Go on with `Scanner.member` until it is nil.
        case object
        /// Go on with `Scanner.element` until it is false.
        case array
        /// A string whose bytes stand in the text as they are.
        case string
        /// A string with escapes: `text` unescapes it.
        case escapedString
        /// Digits with or without a minus, no fraction, no exponent; `value` is it.
        case integer
        /// The same, but beyond 64 bits.
        case hugeInteger
        /// A number with a fraction or an exponent, whatever it is worth: `1.0`, `1e3`.
        case decimal
        case `true`
        case `false`
        case null
    }

    package let kind: Kind
    /// The offset of its first byte; of a string the one after the quote.
    package let start: Int
    /// The offset after its last byte; of a string that of the closing quote.
    package let end: Int
    /// What an `integer` is worth, `-0` as 0; 0 for everything else.
    package let value: Int64

    init(_ kind: Kind, start: Int, end: Int, value: Int64 = 0) {
        self.kind = kind
        self.start = start
        self.end = end
        self.value = value
    }

    /// The string, if it is one.
    package var text: Text? {
        switch kind {
        case .string: Text(start: start, end: end, hasEscapes: false)
        case .escapedString: Text(start: start, end: end, hasEscapes: true)
        default: nil
        }
    }

    /// Its value, if it is an integer that 64 bits hold.
    package var integer: Int64? { kind == .integer ? value : nil }
}

/// The name of a member, and its hash.
package struct Name: Hashable, Sendable {
    package let text: Text
    /// `TextHash` of the string itself, so that names written differently but equal hash equally.
    package let hash: UInt64
}
