import Database

/// 32 bits of the hash of each of a segment's keys of sessions, in their order: so few that those of all
/// segments can be remembered.
struct ShortKeys: Sendable {
    let all: [UInt32]

    /// Of these keys.
    init(_ keys: [UInt64]) { all = keys.map(Self.short) }

    /// Bytes that they take.
    var allocatedBytes: Int { all.allocatedBytes }

    @inline(__always)
    fileprivate static func short(_ key: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: NumberHash.hash(key) >> 32)
    }

    /// Says which short keys are among those of some keys: four bits for each of these, of 64 or more. It
    /// takes one in many thousands for one of them that is none; never the other way round.
    struct Filter: Sendable {
        private var words: [UInt64]
        private let mask: UInt64
        private let held: HeldBytes

        /// For so many keys.
        init(for count: Int, _ account: ReportAccount) {
            var size = 1 << 12
            while size < count * 64, size < 1 << 32 { size *= 2 }
            words = [UInt64](repeating: 0, count: size / 64)
            mask = UInt64(size - 1)
            held = HeldBytes(account, words.allocatedBytes)
        }

        /// Adds a key.
        mutating func insert(_ key: UInt64) {
            var hash = Self.spread(ShortKeys.short(key))
            for _ in 0..<Self.bitsOfKey {
                words[Int((hash & mask) >> 6)] |= 1 << (hash & 63)
                hash = Self.next(hash)
            }
        }

        /// Whether a short key may be that of a key that was added.
        @inline(__always)
        func contains(_ short: UInt32) -> Bool {
            var hash = Self.spread(short)
            for _ in 0..<Self.bitsOfKey {
                if words[Int((hash & mask) >> 6)] >> (hash & 63) & 1 == 0 { return false }
                hash = Self.next(hash)
            }
            return true
        }

        private static let bitsOfKey = 4

        /// Short keys are hashes already, but there are fewer of their bits than are asked for.
        @inline(__always)
        private static func spread(_ short: UInt32) -> UInt64 {
            let product = UInt64(short) &* 0x9e37_79b9_7f4a_7c15
            return product ^ product &>> 32
        }

        @inline(__always)
        private static func next(_ hash: UInt64) -> UInt64 { hash &>> 29 | hash &<< 35 }
    }
}
