/// A fast hash of short texts that nobody outside can foresee: two secrets of this process go into
/// it, so that keys cannot be chosen to collide. Folded multiplication, as in wyhash and foldhash.
package struct TextHash: Sendable {
    private let first: UInt64
    private let second: UInt64

    /// The secrets of this process.
    package static let process: TextHash = {
        var source = SystemRandomNumberGenerator()
        return TextHash(first: source.next(), second: source.next())
    }()

    /// With given secrets, for tests.
    package init(first: UInt64, second: UInt64) {
        self.first = first
        self.second = second
    }

    /// The hash of the bytes in that range, which lies within `bytes`.
    @inline(__always)
    package func hash(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> UInt64 {
        precondition(start >= 0 && start <= end && end <= bytes.count)
        let raw = bytes.bytes
        let count = end &- start
        var low: UInt64
        var high: UInt64
        var state = first ^ UInt64(truncatingIfNeeded: count)
        if count > 16 {
            var at = start
            while end &- at > 16 {
                state = TextHash.fold(
                    raw.word(at) ^ second, raw.word(at &+ 8) ^ state)
                at &+= 16
            }
            low = raw.word(end &- 16)
            high = raw.word(end &- 8)
        } else if count >= 8 {
            low = raw.word(start)
            high = raw.word(end &- 8)
        } else if count >= 4 {
            low = UInt64(raw.halfWord(start))
            high = UInt64(raw.halfWord(end &- 4))
        } else if count > 0 {
            low =
                UInt64(bytes[unchecked: start]) << 16
                | UInt64(bytes[unchecked: start &+ count >> 1]) << 8
                | UInt64(bytes[unchecked: end &- 1])
            high = 0
        } else {
            low = 0
            high = 0
        }
        return TextHash.fold(low ^ second, high ^ state)
    }

    @inline(__always)
    private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}

extension RawSpan {
    /// Eight bytes from that offset, the first lowest. The caller has checked that they are there.
    @inline(__always)
    func word(_ offset: Int) -> UInt64 {
        UInt64(littleEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
    }

    /// Four bytes, as `word`.
    @inline(__always)
    func halfWord(_ offset: Int) -> UInt32 {
        UInt32(littleEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt32.self))
    }
}
