import Database

/// A frame of SQLite's WAL: a page as a transaction left it
/// (https://www.sqlite.org/fileformat2.html#walformat, 4.1).
struct WALFrame {
    /// Size of the header before its page, in bytes.
    package static let header = 24
    /// Size of a frame, in bytes.
    package static let count = header + Connection.pageSize

    private var bytes = [UInt8](repeating: 0, count: count)

    /// Reads the frame at an offset.
    /// - Returns: false where the WAL ends within it
    package mutating func read(_ wal: borrowing LayerFile, at offset: Int) throws(StorageError)
        -> Bool
    {
        try wal.read(into: &bytes, at: offset)
    }

    /// The page's number, from 1.
    package var page: Int { bytes[..<4].reduce(0) { $0 << 8 | Int($1) } }
    /// The database's size in pages after it; 0 where it is not the last of its transaction.
    package var size: Int { bytes[4..<8].reduce(0) { $0 << 8 | Int($1) } }
    /// The salts of the WAL header under which it was written.
    var salts: ArraySlice<UInt8> { bytes[8..<16] }
    /// The checksum stored in it.
    package var stored: ArraySlice<UInt8> { bytes[16..<24] }
    /// Whether it ends a transaction.
    var isCommit: Bool { size != 0 }

    /// Its checksum where it follows a frame, or a header, with the given one.
    package func sum(after before: WALChecksum) -> WALChecksum {
        var sum = before
        sum.add(0..<8, of: bytes)
        sum.add(Self.header..<Self.count, of: bytes)
        return sum
    }

    /// Whether its page has this content.
    package func holds(_ content: [UInt8]) -> Bool { bytes[Self.header...] == content[...] }
}

/// The first bytes of SQLite's WAL (https://www.sqlite.org/fileformat2.html#the_write_ahead_log, 4.1).
struct WALHeader: Equatable {
    package static let count = 32

    private let bytes: [UInt8]

    /// Reads it; nil where the WAL is shorter.
    init?(of wal: borrowing LayerFile) throws(StorageError) {
        var bytes = [UInt8](repeating: 0, count: Self.count)
        guard try wal.read(into: &bytes, at: 0) else { return nil }
        self.bytes = bytes
    }

    /// The salts that each of its frames repeats.
    var salts: ArraySlice<UInt8> { bytes[16..<24] }

    /// Whether the checksum reads words with the highest byte first: the last bit of the magic number.
    var isBig: Bool { bytes[3] & 1 == 1 }

    /// Its stored checksum, which the first frame continues.
    package var sum: WALChecksum { WALChecksum(isBig: isBig, stored: bytes[24..<32]) }

    /// Whether SQLite would accept it: otherwise it reads no frame after it.
    package var isSound: Bool {
        guard word(0) & ~1 == 0x377f_0682, word(4) == 3_007_000,
            word(8) == UInt32(Connection.pageSize)
        else { return false }
        var sum = WALChecksum(isBig: isBig, stored: [UInt8](repeating: 0, count: 8)[...])
        sum.add(0..<24, of: bytes)
        return sum.matches(bytes[24..<32])
    }

    private func word(_ offset: Int) -> UInt32 {
        bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}

/// The frames of SQLite's WAL, each a page as a commit left it
/// (https://www.sqlite.org/fileformat2.html#the_write_ahead_log, 4.2).
enum WALFrames {
    /// Goes through the frames that belong to the WAL's header; those of earlier headers may follow.
    /// - Parameter isWanted: gets the page number of each frame, and ends the walk by returning true
    /// - Returns: the offset of their end, or of the wanted one; 0 for a WAL without a header
    package static func walk(
        _ wal: borrowing LayerFile, until isWanted: (Int) -> Bool = { _ in false }
    ) throws(StorageError) -> Int {
        guard let header = try WALHeader(of: wal) else { return 0 }
        var frame = [UInt8](repeating: 0, count: WALFrame.header)
        var end = WALHeader.count
        let length = try wal.length()
        while length - end >= WALFrame.count, try wal.read(into: &frame, at: end),
            frame[8..<16] == header.salts
        {
            if isWanted(frame[..<4].reduce(0) { $0 << 8 | Int($1) }) { break }
            end += WALFrame.count
        }
        return end
    }
}

/// The running checksum of SQLite's WAL (https://www.sqlite.org/fileformat2.html#walformat, 4.2).
struct WALChecksum: Equatable {
    /// Whether it reads words with the highest byte first.
    private let isBig: Bool
    private var first: UInt32
    private var second: UInt32

    /// - Parameter stored: the eight bytes of a stored checksum to continue; all zeros for a
    ///   new one.
    init(isBig: Bool, stored: ArraySlice<UInt8>) {
        self.isBig = isBig
        let both = stored.reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        first = UInt32(both >> 32)
        second = UInt32(truncatingIfNeeded: both)
    }

    /// Adds some bytes, a multiple of eight.
    package mutating func add(_ bytes: Range<Int>, of all: [UInt8]) {
        for offset in stride(from: bytes.lowerBound, to: bytes.upperBound, by: 8) {
            first &+= word(all, offset) &+ second
            second &+= word(all, offset + 4) &+ first
        }
    }

    /// Whether eight stored bytes equal it.
    func matches(_ stored: ArraySlice<UInt8>) -> Bool {
        self == WALChecksum(isBig: isBig, stored: stored)
    }

    private func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        let word =
            UInt32(bytes[offset]) | UInt32(bytes[offset + 1]) << 8
            | UInt32(bytes[offset + 2]) << 16 | UInt32(bytes[offset + 3]) << 24
        return isBig ? word.byteSwapped : word
    }
}
