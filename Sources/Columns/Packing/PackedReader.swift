/// Reads what `PackedWriter` wrote. Whatever stands there, it reads nothing behind the end: then, and
/// where a number is too long, `isBroken` is set and what it reads is 0.
package struct PackedReader {
    private var octets: [UInt8] = []
    private var place = 0
    private var end = 0
    package private(set) var isBroken = false

    /// Bytes after the end, so that twice eight can be read at once.
    private static let padding = [UInt8](repeating: 0, count: 16)

    /// At the end of nothing.
    package init() {}

    /// Octets as `load` takes them: with some behind their end.
    package static func padded(_ octets: [UInt8]) -> [UInt8] { octets + padding }

    /// Goes to the begin of other octets, which are `padded`.
    package mutating func load(_ padded: [UInt8]) {
        octets = padded
        end = max(0, padded.count - Self.padding.count)
        place = 0
        isBroken = padded.count < Self.padding.count
        if isBroken { octets = Self.padding }
    }

    /// Whether all has been read.
    package var isAtEnd: Bool { place == end }

    @inline(__always)
    package mutating func number() -> UInt64 {
        let first = octets[place]
        if first < 0x80, place < end {
            place &+= 1
            return UInt64(first)
        }
        return longNumber()
    }

    /// One of several octets.
    private mutating func longNumber() -> UInt64 {
        guard place < end else { return fail() }
        let word = word(at: place)
        // Octets but for the last: those whose eighth bit is set.
        let rest = (~word & 0x8080_8080_8080_8080).trailingZeroBitCount >> 3
        guard rest < 8 else { return longestNumber() }
        guard place &+ rest < end else { return fail() }
        place &+= rest &+ 1
        // Seven bits of each of eight octets become 14 of four, 28 of two, 56 of one.
        var number = word & (0x7f7f_7f7f_7f7f_7f7f &>> UInt64(56 &- 8 &* rest))
        number = number & 0x007f_007f_007f_007f | (number & 0x7f00_7f00_7f00_7f00) &>> 1
        number = number & 0x0000_3fff_0000_3fff | (number & 0x3fff_0000_3fff_0000) &>> 2
        return number & 0x0fff_ffff | (number & 0x0fff_ffff_0000_0000) &>> 4
    }

    /// One of nine octets or ten.
    private mutating func longestNumber() -> UInt64 {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while place < end, shift < 64 {
            let octet = octets[place]
            place &+= 1
            number |= UInt64(octet & 0x7f) &<< shift
            if octet < 0x80 { return number }
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

    /// A number that is a count of things that take an octet each, at least.
    mutating func count() -> Int {
        let number = number()
        if number > UInt64(end) {
            isBroken = true
            return 0
        }
        return Int(number)
    }

    mutating func hash() -> UInt64 {
        guard end &- place >= 8 else {
            isBroken = true
            return 0
        }
        defer { place &+= 8 }
        return word(at: place)
    }

    /// The next `count` octets; none where there are fewer.
    mutating func take(_ count: Int) -> Range<Int> {
        guard count >= 0, end &- place >= count else {
            isBroken = true
            return 0..<0
        }
        defer { place &+= count }
        return place..<place &+ count
    }

    /// The next octets that so many numbers of so many bits take; none where there are fewer.
    mutating func take(_ count: Int, width: UInt64) -> Range<Int> {
        if width == 0 { return place..<place }
        guard count >= 0, count <= end &* 8, width <= 32 else {
            isBroken = true
            return 0..<0
        }
        return take(Self.octets(of: count, width: Int(width)))
    }

    /// How many octets so many numbers of so many bits take.
    @inline(__always)
    static func octets(of count: Int, width: Int) -> Int { (count &* width &+ 7) &>> 3 }

    /// The octets of a range.
    subscript(range: Range<Int>) -> ArraySlice<UInt8> { octets[range] }

    /// What was read cannot be.
    mutating func refuse() { isBroken = true }

    /// Where it stands.
    package var position: Int { place }

    /// Goes back, or forth, to a place; to the end where it is behind that.
    mutating func seek(_ place: Int) { self.place = min(max(place, 0), end) }

    /// Numbers of the same width, one after the other. Behind their end, and where there are none, it
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

        /// Fills a range with numbers that begin with one and go up by those that are read.
        /// - Returns: the last of them
        mutating func add(
            to numbers: inout [Int64], _ range: Range<Int>, from first: Int64,
            in reader: borrowing PackedReader
        ) -> Int64 {
            var number = first
            var room = numbers.mutableSpan
            room[range.lowerBound] = number
            for place in range.dropFirst() {
                number &+= Int64(bitPattern: next(in: reader))
                room[place] = number
            }
            return number
        }

        /// Reads as many as there is room for. What is not below `limit` is read as 0: then false.
        mutating func fill(
            _ numbers: inout [Int32], below limit: UInt64, in reader: borrowing PackedReader
        ) -> Bool {
            var isRight = true
            var room = numbers.mutableSpan
            for place in room.indices {
                let number = next(in: reader)
                if number >= limit { isRight = false }
                room[place] = number < limit ? Int32(truncatingIfNeeded: number) : 0
            }
            return isRight
        }
    }

    /// The number of so many bits, at most 57, that begins at a bit; 0 or anything behind the end.
    @inline(__always)
    func number(at bit: Int, width: UInt64) -> UInt64 {
        guard bit >= 0, bit &>> 3 < end, width > 0 else { return 0 }
        return word(at: bit &>> 3) &>> UInt64(truncatingIfNeeded: bit & 7) & (~0 &>> (64 &- width))
    }

    /// The numbers that stand in a range that `take` gave.
    func bits(_ range: Range<Int>, width: UInt64) -> Bits {
        // Nothing was taken: whoever asks all the same gets noughts.
        let width = range.isEmpty ? 0 : width
        return Bits(
            bit: range.lowerBound &* 8, width: width, mask: width == 0 ? 0 : ~0 &>> (64 &- width))
    }

    /// Eight octets. The padding lets this be done at each place before the end, and eight behind it.
    @inline(__always)
    func word(at place: Int) -> UInt64 {
        octets.withUnsafeBytes {
            UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: place, as: UInt64.self))
        }
    }
}
