/// A SHA-256 or HMAC-SHA-256 result: 32 bytes, kept as four big-endian words.
package struct Digest256: Hashable, Sendable {
    package static let count = 32

    package let words: (UInt64, UInt64, UInt64, UInt64)

    package init(_ words: (UInt64, UInt64, UInt64, UInt64)) { self.words = words }

    /// Nil unless there are exactly 32 bytes.
    package init?(bytes: Span<UInt8>) {
        guard bytes.count == Self.count else { return nil }
        self = bytes.withUnsafeBytes { Self(raw: $0) }
    }

    /// - Parameter raw: At least 32 bytes.
    init(raw: UnsafeRawBufferPointer) {
        func word(_ index: Int) -> UInt64 {
            UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
        }
        words = (word(0), word(1), word(2), word(3))
    }

    /// Calls the closure with the 32 bytes in order.
    package func withBytes<R>(_ body: (Span<UInt8>) -> R) -> R {
        let ordered = (
            words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian
        )
        return withUnsafeBytes(of: ordered) {
            body(Span(_unsafeElements: $0.assumingMemoryBound(to: UInt8.self)))
        }
    }

    package var bytes: [UInt8] {
        withBytes { bytes in
            [UInt8](unsafeUninitializedCapacity: Self.count) { out, count in
                for index in 0..<Self.count {
                    out.initializeElement(at: index, to: bytes[index])
                }
                count = Self.count
            }
        }
    }

    /// 64 lower-case digits.
    package var hex: String { withBytes { Hex.encode($0) } }

    package static func == (one: Digest256, other: Digest256) -> Bool {
        // Over all words, so that equal takes as long as unequal.
        let difference =
            (one.words.0 ^ other.words.0) | (one.words.1 ^ other.words.1)
            | (one.words.2 ^ other.words.2) | (one.words.3 ^ other.words.3)
        return difference == 0
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
        hasher.combine(words.2)
        hasher.combine(words.3)
    }
}
