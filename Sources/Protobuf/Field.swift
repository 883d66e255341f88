/// One field of a message.
package struct Field: Hashable, Sendable {
    package enum Kind: UInt8, Hashable, Sendable {
        case varint
        case fixed64
        /// A string, bytes or a message.
        case bytes
        case fixed32
    }

    /// 1 to 2^29 − 1.
    package let number: UInt32
    package let kind: Kind
    /// The value of a number, as its bits; 0 for `bytes`.
    package let bits: UInt64
    /// Where `bytes` stand: the offset of the first and the one after the last; 0 for numbers.
    package let start: Int
    package let end: Int

    @inline(__always)
    init(number: UInt32, kind: Kind, bits: UInt64 = 0, start: Int = 0, end: Int = 0) {
        self.number = number
        self.kind = kind
        self.bits = bits
        self.start = start
        self.end = end
    }

    package var range: Range<Int> { start..<end }
}

/// The bytes are no message: which rule of its encoding they break does not matter, since no client can mend it.
package struct MalformedMessage: Error, Equatable {
    /// They may be one, but it has more fields than allowed.
    package let hasTooManyFields: Bool

    package init(hasTooManyFields: Bool = false) { self.hasTooManyFields = hasTooManyFields }
}

/// How many fields of a message were read, with those of the messages within it and of groups: what reading costs
/// follows it.
package struct FieldCount: Sendable {
    package private(set) var total = 0
    private let limit: Int

    /// - Parameter limit: how many there may be
    package init(limit: Int = .max) { self.limit = limit }

    @inline(__always)
    mutating func add() throws(MalformedMessage) {
        total &+= 1
        guard total <= limit else { throw MalformedMessage(hasTooManyFields: true) }
    }
}
