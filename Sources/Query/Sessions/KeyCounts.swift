/// Which keys of sessions come more than once. Keys share two bits with others by chance, so that it may
/// say so of too many, never of too few.
struct KeyCounts: ReportShare {
    /// Two bits a hash: the lower is set once a key came, the upper once one came again.
    private var words: [UInt64]
    /// The number of hashes is 2^bits.
    private let bits: UInt64
    /// How many keys came, repeats too.
    private(set) var count = 0
    private let held: HeldBytes

    /// The most hashes: they take 32 MB.
    private static let maxHashes: Int64 = 1 << 27

    /// Without keys.
    /// - Parameter account: of the report
    init(bits: UInt64, _ account: ReportAccount = .unbounded) {
        self.bits = bits
        words = [UInt64](repeating: 0, count: 1 << Int(bits - 5))
        held = HeldBytes(account, words.allocatedBytes)
    }

    /// How many bits suffice for so many keys, or events: a session has about ten of these.
    static func bits(for count: Int64) -> UInt64 {
        var bits: UInt64 = 12
        while Int64(1) << bits < min(count, maxHashes) { bits += 1 }
        return bits
    }

    /// Adds another of as many bits: what came in both came again.
    mutating func merge(_ other: KeyCounts) {
        let lower: UInt64 = 0x5555_5555_5555_5555
        for index in words.indices {
            let both = words[index] & other.words[index] & lower
            words[index] |= other.words[index] | both << 1
        }
        count += other.count
    }

    @inline(__always)
    mutating func add(_ key: UInt64) {
        let hash = hash(of: key)
        let bit: UInt64 = 1 << (hash & 31 * 2)
        let word = words[Int(hash >> 5)]
        words[Int(hash >> 5)] = word | bit | (word & bit) << 1
        count &+= 1
    }

    /// Whether a key came more than once.
    @inline(__always)
    func isRepeated(_ key: UInt64) -> Bool {
        let hash = hash(of: key)
        return words[Int(hash >> 5)] >> (hash & 31 * 2) & 2 != 0
    }

    @inline(__always)
    private func hash(of key: UInt64) -> UInt64 { NumberHash.hash(key) >> (64 - bits) }
}
