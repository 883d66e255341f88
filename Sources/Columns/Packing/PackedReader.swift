/// Reads what `PackedWriter` wrote. Whatever the bytes are, it reads nothing after the end: then, and
/// where a number is too long, `isBroken` is set and what it reads is 0.
package struct PackedReader {
    private var bytes: [UInt8] = []
    private var offset = 0
    private var end = 0
    package private(set) var isBroken = false

    /// Bytes after the end, so that twice eight can be read at once.
    private static let padding = [UInt8](repeating: 0, count: 16)

    /// A reader of no bytes.
    package init() {}

    /// Bytes as `load` takes them: with padding after their end.
    package static func padded(_ bytes: [UInt8]) -> [UInt8] { bytes + padding }

    /// The same of bytes that are copied once.
    package static func padded(copying bytes: Span<UInt8>) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: bytes.count + padding.count) { room, count in
            bytes.withUnsafeBufferPointer { _ = room.update(fromContentsOf: $0) }
            count = bytes.count
            while count < room.count {
                room[count] = 0
                count += 1
            }
        }
    }

    /// Starts to read other bytes, which are `padded`.
    package mutating func load(_ padded: [UInt8]) {
        bytes = padded
        end = max(0, padded.count - Self.padding.count)
        offset = 0
        isBroken = padded.count < Self.padding.count
        if isBroken { bytes = Self.padding }
    }

    /// Whether all has been read.
    package var isAtEnd: Bool { offset == end }

    @inline(__always)
    package mutating func number() -> UInt64 {
        let first = bytes[offset]
        if first < 0x80, offset < end {
            offset &+= 1
            return UInt64(first)
        }
        return longNumber()
    }

    /// A number of several bytes.
    private mutating func longNumber() -> UInt64 {
        guard offset < end else { return fail() }
        let word = word(at: offset)
        // The count of bytes whose eighth bit is set: all but the last.
        let rest = (~word & 0x8080_8080_8080_8080).trailingZeroBitCount >> 3
        guard rest < 8 else { return longestNumber() }
        guard offset &+ rest < end else { return fail() }
        offset &+= rest &+ 1
        // Seven bits of each of eight bytes become 14 of four, 28 of two, 56 of one.
        var number = word & (0x7f7f_7f7f_7f7f_7f7f &>> UInt64(56 &- 8 &* rest))
        number = number & 0x007f_007f_007f_007f | (number & 0x7f00_7f00_7f00_7f00) &>> 1
        number = number & 0x0000_3fff_0000_3fff | (number & 0x3fff_0000_3fff_0000) &>> 2
        return number & 0x0fff_ffff | (number & 0x0fff_ffff_0000_0000) &>> 4
    }

    /// A number of nine bytes or ten.
    private mutating func longestNumber() -> UInt64 {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while offset < end, shift < 64 {
            let byte = bytes[offset]
            offset &+= 1
            number |= UInt64(byte & 0x7f) &<< shift
            if byte < 0x80 { return number }
            shift &+= 7
        }
        return fail()
    }

    private mutating func fail() -> UInt64 {
        isBroken = true
        return 0
    }

    @inline(__always)
    package mutating func signedNumber() -> Int64 {
        let number = number()
        return Int64(bitPattern: number &>> 1) ^ -Int64(bitPattern: number & 1)
    }

    /// A number that is a count of things that take an byte each, at least.
    mutating func count() -> Int {
        let number = number()
        if number > UInt64(end) {
            isBroken = true
            return 0
        }
        return Int(number)
    }

    mutating func hash() -> UInt64 {
        guard end &- offset >= 8 else {
            isBroken = true
            return 0
        }
        defer { offset &+= 8 }
        return word(at: offset)
    }

    /// The next `count` bytes; none where there are fewer.
    mutating func take(_ count: Int) -> Range<Int> {
        guard count >= 0, end &- offset >= count else {
            isBroken = true
            return 0..<0
        }
        defer { offset &+= count }
        return offset..<offset &+ count
    }

    /// The next bytes that so many numbers of so many bits take; none where there are fewer.
    mutating func take(_ count: Int, width: UInt64) -> Range<Int> {
        if width == 0 { return offset..<offset }
        guard count >= 0, count <= end &* 8, width <= 32 else {
            isBroken = true
            return 0..<0
        }
        return take(Self.bytes(of: count, width: Int(width)))
    }

    /// How many bytes so many numbers of so many bits take.
    @inline(__always)
    static func bytes(of count: Int, width: Int) -> Int { (count &* width &+ 7) &>> 3 }

    /// The bytes of a range.
    subscript(range: Range<Int>) -> ArraySlice<UInt8> { bytes[range] }

    /// What was read is invalid.
    mutating func refuse() { isBroken = true }

    /// The offset of the next byte.
    package var position: Int { offset }

    /// Moves to an offset; to the end where the offset is after it.
    mutating func seek(_ offset: Int) { self.offset = min(max(offset, 0), end) }

    /// Numbers of the same width, one after the other. After their end, and where there are none, it
    /// reads 0 or what follows.
    struct Bits {
        fileprivate var bit: Int
        fileprivate let width: UInt64
        fileprivate let mask: UInt64

        @inline(__always)
        mutating func next(in reader: borrowing PackedReader) -> UInt64 {
            let number = reader.word(at: bit &>> 3) &>> UInt64(truncatingIfNeeded: bit & 7) & mask
            bit &+= Int(truncatingIfNeeded: width)
            return number
        }

        /// Fills a range with running sums: the first number, then each plus the next that is read.
        /// - Returns: the last sum
        mutating func add(
            to numbers: inout [Int64], _ range: Range<Int>, from first: Int64,
            in reader: borrowing PackedReader
        ) -> Int64 {
            var number = first
            var room = numbers.mutableSpan
            room[range.lowerBound] = number
            for offset in range.dropFirst() {
                number &+= Int64(bitPattern: next(in: reader))
                room[offset] = number
            }
            return number
        }

        /// Fills `numbers`. A number not below `limit` is read as 0, and the result is false.
        mutating func fill(
            _ numbers: inout [Int32], below limit: UInt64, in reader: borrowing PackedReader
        ) -> Bool {
            var isRight = true
            var room = numbers.mutableSpan
            for offset in room.indices {
                let number = next(in: reader)
                if number >= limit { isRight = false }
                room[offset] = number < limit ? Int32(truncatingIfNeeded: number) : 0
            }
            return isRight
        }
    }

    /// The number of so many bits, at most 57, that begins at a bit; 0 or anything after the end.
    @inline(__always)
    func number(at bit: Int, width: UInt64) -> UInt64 {
        guard bit >= 0, bit &>> 3 < end, width > 0 else { return 0 }
        return word(at: bit &>> 3) &>> UInt64(truncatingIfNeeded: bit & 7) & (~0 &>> (64 &- width))
    }

    /// The numbers in a range that `take` returned.
    func bits(_ range: Range<Int>, width: UInt64) -> Bits {
        // Nothing was taken: then all numbers are zero.
        let width = range.isEmpty ? 0 : width
        return Bits(
            bit: range.lowerBound &* 8, width: width, mask: width == 0 ? 0 : ~0 &>> (64 &- width))
    }

    /// Eight bytes. The padding allows this at each offset up to eight bytes after the end.
    @inline(__always)
    func word(at offset: Int) -> UInt64 {
        bytes.withUnsafeBytes {
            UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
    }
}
