/// The first octets of SQLite's log (https://www.sqlite.org/fileformat2.html#the_write_ahead_log, 4.1).
struct LogHeader: Equatable {
    static let count = 32

    private let octets: [UInt8]

    /// Reads it; nil where the log is shorter.
    init?(of log: borrowing LayerFile) throws(StorageError) {
        var octets = [UInt8](repeating: 0, count: Self.count)
        guard try log.read(into: &octets, at: 0) else { return nil }
        self.octets = octets
    }

    /// What each of the log's own frames repeats.
    var salts: ArraySlice<UInt8> { octets[16..<24] }

    /// Whether SQLite would take it: else it looks at no frame behind it.
    var isSound: Bool {
        let magic = word(0, isBig: true)
        guard magic & ~1 == 0x377f_0682, word(4, isBig: true) == 3_007_000,
            word(8, isBig: true) == UInt32(Connection.pageSize)
        else { return false }
        // The last bit of the magic number says in which order the summed words are read.
        let isBig = magic & 1 == 1
        var first: UInt32 = 0
        var second: UInt32 = 0
        for place in stride(from: 0, to: 24, by: 8) {
            first &+= word(place, isBig: isBig) &+ second
            second &+= word(place + 4, isBig: isBig) &+ first
        }
        return first == word(24, isBig: true) && second == word(28, isBig: true)
    }

    private func word(_ place: Int, isBig: Bool) -> UInt32 {
        let four = octets[place..<place + 4]
        return (isBig ? Array(four) : four.reversed()).reduce(0) { $0 << 8 | UInt32($1) }
    }
}
