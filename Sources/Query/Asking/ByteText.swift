/// A text as its UTF-8 octets, compared by them: what devices call different stays different, also
/// where Unicode calls it equal (`String` does not), and the order is that of the octets.
package struct ByteText: Hashable, Comparable, Sendable {
    /// The UTF-8 octets.
    package let bytes: [UInt8]

    /// A text by its octets, which are UTF-8.
    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// A text by its characters.
    package init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// The same text as a `String`.
    package var string: String { String(decoding: bytes, as: UTF8.self) }

    package static func < (a: ByteText, b: ByteText) -> Bool {
        a.bytes.lexicographicallyPrecedes(b.bytes)
    }

    /// What stands for a value that a batch did not give (docs/reports.md, Asking).
    package static let unknown = ByteText("unknown")
}
