/// The running checksum of SQLite's log (https://www.sqlite.org/fileformat2.html#walformat, 4.2).
struct LogSum: Equatable {
    /// Whether the summed words are read with their highest octet first.
    private let isBig: Bool
    private var first: UInt32
    private var second: UInt32

    /// - Parameter stored: the eight octets where a checksum stands that is gone on from; all zeros for a
    ///   new one.
    init(isBig: Bool, stored: ArraySlice<UInt8>) {
        self.isBig = isBig
        let both = stored.reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        first = UInt32(both >> 32)
        second = UInt32(truncatingIfNeeded: both)
    }

    /// Goes on over some octets, a multiple of eight.
    package mutating func add(_ octets: Range<Int>, of all: [UInt8]) {
        for place in stride(from: octets.lowerBound, to: octets.upperBound, by: 8) {
            first &+= word(all, place) &+ second
            second &+= word(all, place + 4) &+ first
        }
    }

    /// Whether it stands in eight octets.
    func stands(in stored: ArraySlice<UInt8>) -> Bool {
        self == LogSum(isBig: isBig, stored: stored)
    }

    private func word(_ octets: [UInt8], _ place: Int) -> UInt32 {
        let word =
            UInt32(octets[place]) | UInt32(octets[place + 1]) << 8
            | UInt32(octets[place + 2]) << 16 | UInt32(octets[place + 3]) << 24
        return isBig ? word.byteSwapped : word
    }
}
