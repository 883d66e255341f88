/// Bytes of one column of a segment: numbers in as few bytes as they need, or in as few bits.
package struct PackedWriter {
    package private(set) var bytes: [UInt8] = []
    private var word: UInt64 = 0
    private var bits: UInt64 = 0

    /// A writer without bytes.
    package init() {}

    /// Seven bits an byte, the lowest first; the eighth is set where more follow.
    @inline(__always)
    package mutating func append(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest &>>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// A number of either sign: near 0 is short.
    @inline(__always)
    package mutating func append(signed number: Int64) {
        append(UInt64(bitPattern: number &<< 1 ^ number &>> 63))
    }

    /// Eight bytes, the lowest first.
    package mutating func append(hash: UInt64) {
        for index in 0..<8 {
            bytes.append(UInt8(truncatingIfNeeded: hash &>> (8 &* UInt64(index))))
        }
    }

    package mutating func append(_ text: some Sequence<UInt8>) { bytes += text }

    /// The lowest `width` bits of a number, at most 32 of them; `align` ends a run of these.
    @inline(__always)
    package mutating func append(_ number: UInt64, width: UInt64) {
        word |= number &<< bits
        bits &+= width
        while bits >= 8 {
            bytes.append(UInt8(truncatingIfNeeded: word))
            word &>>= 8
            bits &-= 8
        }
    }

    /// The same of a number of any width.
    package mutating func append(wide number: UInt64, width: UInt64) {
        append(number & 0xffff_ffff, width: min(width, 32))
        if width > 32 { append(number &>> 32, width: width &- 32) }
    }

    /// Fills the last byte of a run of bits.
    mutating func align() {
        if bits > 0 { bytes.append(UInt8(truncatingIfNeeded: word)) }
        word = 0
        bits = 0
    }

    /// How many bits the numbers from 0 to `largest` need.
    static func width(of largest: UInt64) -> UInt64 { UInt64(64 - largest.leadingZeroBitCount) }
}
