import Database

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
