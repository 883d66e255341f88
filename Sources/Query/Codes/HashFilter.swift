/// A Bloom filter of hashes with 2^bits bits, four of them for each hash. It takes a few of other hashes for
/// its own; never the other way round.
struct HashFilter: Sendable {
    private var words: [UInt64]
    private let mask: UInt64
    private let held: HeldBytes

    private static let bitsOfHash = 4

    /// - Parameters:
    ///   - count: how many hashes will be inserted
    ///   - bits: how many bits it has for each of them, at least
    ///   - account: of the report
    init(for count: Int, bits: Int, _ account: ReportAccount) {
        var size = 1 << 12
        while size < count * bits, size < 1 << 32 { size *= 2 }
        words = [UInt64](repeating: 0, count: size / 64)
        mask = UInt64(size - 1)
        held = HeldBytes(account, words.allocatedBytes)
    }

    /// Adds a hash, of which all 64 bits count.
    mutating func insert(_ hash: UInt64) {
        var hash = hash
        for _ in 0..<Self.bitsOfHash {
            words[Int((hash & mask) >> 6)] |= 1 << (hash & 63)
            hash = Self.next(hash)
        }
    }

    /// Whether a hash may have been added.
    @inline(__always)
    func contains(_ hash: UInt64) -> Bool {
        var hash = hash
        for _ in 0..<Self.bitsOfHash {
            if words[Int((hash & mask) >> 6)] >> (hash & 63) & 1 == 0 { return false }
            hash = Self.next(hash)
        }
        return true
    }

    @inline(__always)
    private static func next(_ hash: UInt64) -> UInt64 { hash &>> 29 | hash &<< 35 }
}
