/// A text of a record: where its bytes stand, in what was sent or in what was made of it.
struct TextSlot {
    /// A body has less than 2^32 bytes, and what is made of it too.
    private var first: UInt32 = 0
    private var last: UInt32 = 0
    /// In `ReadAttributes.made`.
    private(set) var isMade = false

    init(start: Int = 0, end: Int = 0, isMade: Bool = false) {
        first = UInt32(truncatingIfNeeded: start)
        last = UInt32(truncatingIfNeeded: end)
        self.isMade = isMade
    }

    var start: Int { Int(first) }
    /// The offset after the last byte.
    var end: Int { Int(last) }
    var count: Int { end &- start }

    /// The byte at an index, from 0.
    /// - Parameters:
    ///   - bytes: what was sent
    ///   - made: what was made of it
    @inline(__always)
    func byte(_ index: Int, _ bytes: Span<UInt8>, _ made: Span<UInt8>) -> UInt8 {
        isMade ? made[start &+ index] : bytes[start &+ index]
    }

    /// How many bytes this text and another have in common from their beginning.
    func commonCount(
        with other: TextSlot, _ bytes: Span<UInt8>, _ made: Span<UInt8>
    ) -> Int {
        let count = min(self.count, other.count)
        switch (isMade, other.isMade) {
        case (false, false): return Self.commonCount(bytes, start, bytes, other.start, count)
        case (false, true): return Self.commonCount(bytes, start, made, other.start, count)
        case (true, false): return Self.commonCount(made, start, bytes, other.start, count)
        case (true, true): return Self.commonCount(made, start, made, other.start, count)
        }
    }

    /// - Returns: `count` where the bytes from two offsets on are the same so far
    private static func commonCount(
        _ left: Span<UInt8>, _ leftStart: Int, _ right: Span<UInt8>, _ rightStart: Int,
        _ count: Int
    ) -> Int {
        precondition(
            leftStart + count <= left.count && rightStart + count <= right.count)
        let ours = left.bytes
        let theirs = right.bytes
        var at = 0
        while count &- at >= 8 {
            let difference =
                ours.unsafeLoadUnaligned(
                    fromUncheckedByteOffset: leftStart &+ at, as: UInt64.self)
                ^ theirs.unsafeLoadUnaligned(
                    fromUncheckedByteOffset: rightStart &+ at, as: UInt64.self)
            if difference != 0 {
                return at &+ difference.littleEndian.trailingZeroBitCount / 8
            }
            at &+= 8
        }
        while at < count, left[leftStart &+ at] == right[rightStart &+ at] { at &+= 1 }
        return at
    }
}

/// A value as it was read (docs/opentelemetry.md, What becomes what).
struct ReadValue {
    enum Kind: UInt8 {
        /// It is there, but has no value.
        case none
        case string
        case bool
        case integer
        /// An integer beyond 64 bits, as its text, which `NumberText` reads.
        case digits
        case double
        /// A string that was made of bytes or a list.
        case made
    }

    var kind = Kind.none
    /// Of `string`, `digits` and `made`.
    var text = TextSlot()
    /// Of `bool`, `integer` and `double`: as 0 or 1, two's complement, IEEE 754.
    var bits: UInt64 = 0
}

/// An attribute as it was read.
struct ReadAttribute {
    var key: TextSlot
    /// The key's first eight bytes, the first highest: most keys differ there.
    var prefix: UInt64
    var value: ReadValue
}

/// What a record has besides its attributes, as it was read.
struct ReadRecord {
    /// `event_name`.
    var name = TextSlot()
    /// Nanoseconds since 1970; 0 is none.
    var time: UInt64 = 0
    /// The same of when it was seen.
    var observedTime: UInt64 = 0
}
