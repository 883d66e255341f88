import Database
import Storage

/// A filter of the sessions of an app that may have more than one piece in segments: it has two
/// bits for each hash, one set when a session with that hash appears, the other when one appears
/// again. Most sessions have one piece, and the filter recognises nearly all of these.
struct RecurringSessions: ReportShare {
    /// Two bits a hash: the lower is set once a session appeared, the upper once one appeared
    /// again.
    private var words: [UInt64]
    /// Shifts a hash down to its `bits`.
    private let shift: UInt64
    private var held: HeldBytes

    /// The most hashes: they take 32 MB.
    private static let maxHashes: Int64 = 1 << 27

    /// An empty filter with 2^bits hashes.
    private init(bits: UInt64, _ account: ReportAccount) {
        words = [UInt64](repeating: 0, count: 1 << Int(bits - 5))
        shift = 64 - bits
        held = HeldBytes(account, words.allocatedBytes)
    }

    /// Reads all sessions of an app. Throws what the database throws.
    init(of app: Int64, _ reading: Reading) throws(StorageError) {
        // As many hashes as events: a session has about ten events.
        let statement = try reading.prepare(
            "SELECT coalesce(sum(events), 0) FROM segment WHERE app = ?1")
        try statement.bind(1, app)
        let events = try statement.step() ? statement.int(0) : 0
        var bits: UInt64 = 16
        while Int64(1) << bits < min(events, Self.maxHashes) { bits += 1 }
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

    /// Adds the sessions of another: what appeared in both appeared again.
    mutating func merge(_ other: RecurringSessions) {
        let lower: UInt64 = 0x5555_5555_5555_5555
        for index in words.indices {
            let both = words[index] & other.words[index] & lower
            words[index] |= other.words[index] | both << 1
        }
    }

    /// Whether a session may have more than one piece.
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
