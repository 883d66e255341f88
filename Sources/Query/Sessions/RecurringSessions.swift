import Database
import Storage

/// Which sessions of an app may stand in segments in more than one piece: two bits for each of many
/// hashes of sessions, whether one was there and whether one came again. Most sessions are one piece,
/// and known as such here; few of them are taken for more than they are.
struct RecurringSessions: ReportShare {
    /// 32 hashes a word: the lower bit says that there was one, the upper that one came again.
    private var words: [UInt64]
    /// Of a word's number.
    private let shift: UInt64
    private var held: HeldBytes

    /// Hashes at most, 32 MB.
    private static let most: Int64 = 1 << 27

    /// None yet, in so many bits of hashes.
    private init(bits: UInt64, _ account: ReportAccount) {
        words = [UInt64](repeating: 0, count: 1 << Int(bits - 5))
        shift = 64 - bits
        held = HeldBytes(account, words.allocatedBytes)
    }

    /// Looks at all sessions of an app. Throws what the database throws.
    init(of app: Int64, _ reading: Reading) throws(StorageError) {
        // As many hashes as events: a session has ten of them, more or less.
        let statement = try reading.prepare(
            "SELECT coalesce(sum(events), 0) FROM segment WHERE app = ?1")
        try statement.bind(1, app)
        let events = try statement.step() ? statement.int(0) : 0
        var bits: UInt64 = 16
        while Int64(1) << bits < min(events, Self.most) { bits += 1 }
        let list = try reading.segmentList(of: app, EventList.always)
        let (width, account) = (bits, reading.account)
        self = try reading.inParallel { () throws(StorageError) in
            var sessions = RecurringSessions(bits: width, account)
            var scan = SegmentScan(list, .sessions)
            while try scan.nextSegment() {
                for key in scan.part.sessions { sessions.add(key) }
            }
            return sessions
        }
    }

    /// What was here and there came again.
    mutating func merge(_ other: RecurringSessions) {
        let lower: UInt64 = 0x5555_5555_5555_5555
        for place in words.indices {
            let both = words[place] & other.words[place] & lower
            words[place] |= other.words[place] | both << 1
        }
    }

    /// False only where the session is one piece.
    @inline(__always)
    func mayContain(_ key: UInt64) -> Bool {
        let hash = hash(of: key)
        return words[Int(hash >> 5)] >> (hash & 31 * 2) & 2 != 0
    }

    @inline(__always)
    private mutating func add(_ key: UInt64) {
        let hash = hash(of: key)
        let bit: UInt64 = 1 << (hash & 31 * 2)
        let word = words[Int(hash >> 5)]
        words[Int(hash >> 5)] = word | bit | (word & bit) << 1
    }

    @inline(__always)
    private func hash(of key: UInt64) -> UInt64 { NumberHash.hash(key) >> shift }
}
