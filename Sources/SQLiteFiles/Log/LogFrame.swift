import Database

/// A frame of SQLite's log: a page as a transaction left it
/// (https://www.sqlite.org/fileformat2.html#walformat, 4.1).
struct LogFrame {
    /// Octets before its page.
    package static let header = 24
    /// Octets of each.
    package static let count = header + Connection.pageSize

    private var octets = [UInt8](repeating: 0, count: count)

    /// Takes the one that begins there.
    /// - Returns: false where the log ends before its end
    package mutating func read(_ log: borrowing LayerFile, at place: Int) throws(StorageError)
        -> Bool
    {
        try log.read(into: &octets, at: place)
    }

    /// The page's number, from 1.
    package var page: Int { octets[..<4].reduce(0) { $0 << 8 | Int($1) } }
    /// Pages of the database behind it; 0 where it is not the last of its transaction.
    package var size: Int { octets[4..<8].reduce(0) { $0 << 8 | Int($1) } }
    /// The same as in the header of its turn of the log.
    var salts: ArraySlice<UInt8> { octets[8..<16] }
    /// The checksum that stands in it.
    package var stored: ArraySlice<UInt8> { octets[16..<24] }
    /// Whether it ends a transaction.
    var isCommit: Bool { size != 0 }

    /// What its checksum is where it comes behind a frame, or a header, with this one.
    package func sum(behind before: LogSum) -> LogSum {
        var sum = before
        sum.add(0..<8, of: octets)
        sum.add(Self.header..<Self.count, of: octets)
        return sum
    }

    /// Whether the page is this one.
    package func holds(_ content: [UInt8]) -> Bool { octets[Self.header...] == content[...] }
}

/// The first octets of SQLite's log (https://www.sqlite.org/fileformat2.html#the_write_ahead_log, 4.1).
struct LogHeader: Equatable {
    package static let count = 32

    private let octets: [UInt8]

    /// Reads it; nil where the log is shorter.
    init?(of log: borrowing LayerFile) throws(StorageError) {
        var octets = [UInt8](repeating: 0, count: Self.count)
        guard try log.read(into: &octets, at: 0) else { return nil }
        self.octets = octets
    }

    /// What each of the log's own frames repeats.
    var salts: ArraySlice<UInt8> { octets[16..<24] }

    /// Whether the words that are summed have their highest octet first: the last bit of the magic number.
    var isBig: Bool { octets[3] & 1 == 1 }

    /// Its checksum as it stands there, from which that of the first frame goes on.
    package var sum: LogSum { LogSum(isBig: isBig, stored: octets[24..<32]) }

    /// Whether SQLite would take it: else it looks at no frame behind it.
    package var isSound: Bool {
        guard word(0) & ~1 == 0x377f_0682, word(4) == 3_007_000,
            word(8) == UInt32(Connection.pageSize)
        else { return false }
        var sum = LogSum(isBig: isBig, stored: [UInt8](repeating: 0, count: 8)[...])
        sum.add(0..<24, of: octets)
        return sum.stands(in: octets[24..<32])
    }

    private func word(_ place: Int) -> UInt32 {
        octets[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}

/// The frames of SQLite's log, each a page as a commit left it
/// (https://www.sqlite.org/fileformat2.html#the_write_ahead_log, 4.2).
enum LogFrames {
    /// Looks at the frames that belong to the log's header: behind them stand those of earlier turns.
    /// - Parameter isWanted: is given the number of each frame's page, and ends the walk where it is true
    /// - Returns: where they end, or the wanted one begins, in octets; 0 for a log without a header
    package static func walk(
        _ log: borrowing LayerFile, until isWanted: (Int) -> Bool = { _ in false }
    ) throws(StorageError) -> Int {
        guard let header = try LogHeader(of: log) else { return 0 }
        var frame = [UInt8](repeating: 0, count: LogFrame.header)
        var end = LogHeader.count
        let length = try log.length()
        while length - end >= LogFrame.count, try log.read(into: &frame, at: end),
            frame[8..<16] == header.salts
        {
            if isWanted(frame[..<4].reduce(0) { $0 << 8 | Int($1) }) { break }
            end += LogFrame.count
        }
        return end
    }
}

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
