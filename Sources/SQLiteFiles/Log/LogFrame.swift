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
