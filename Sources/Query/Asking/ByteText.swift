/// A text as its UTF-8 bytes, compared and ordered by them: texts that devices send as different
/// stay different, also where Unicode and so `String` calls them equal.
package struct ByteText: Hashable, Comparable, Sendable {
    /// The UTF-8 bytes.
    package let bytes: [UInt8]

    /// A text from its bytes, which have to be UTF-8.
    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// A text from its characters.
    package init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// The same text as a `String`.
    package var string: String { String(decoding: bytes, as: UTF8.self) }

    package static func < (a: ByteText, b: ByteText) -> Bool {
        a.bytes.lexicographicallyPrecedes(b.bytes)
    }

    /// Stands for a value that a batch did not give (docs/reports.md, Asking).
    package static let unknown = ByteText("unknown")
}
