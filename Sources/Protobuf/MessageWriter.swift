/// Writes a message: the few kinds of fields that answers have.
package struct MessageWriter {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// A number; 0 is as good as absent and is left out.
    package mutating func number(_ field: UInt32, _ value: UInt64) {
        guard value != 0 else { return }
        varint(UInt64(field) << 3)
        varint(value)
    }

    /// A text; an empty one is as good as absent and is left out.
    package mutating func text(_ field: UInt32, _ text: String) {
        guard !text.isEmpty else { return }
        message(field, Array(text.utf8))
    }

    /// A message within, an empty one too.
    package mutating func message(_ field: UInt32, _ content: [UInt8]) {
        varint(UInt64(field) << 3 | 2)
        varint(UInt64(content.count))
        bytes += content
    }

    private mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}
