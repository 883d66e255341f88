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
        private var hashes: HashFilter

        /// For so many keys.
        init(for count: Int, _ account: ReportAccount) {
            hashes = HashFilter(for: count, bits: 64, account)
        }

        /// Adds a key.
        mutating func insert(_ key: UInt64) { hashes.insert(Self.spread(ShortKeys.short(key))) }

        /// Whether a short key may be that of a key that was added.
        @inline(__always)
        func contains(_ short: UInt32) -> Bool { hashes.contains(Self.spread(short)) }

        /// Short keys are hashes already, but there are fewer of their bits than are asked for.
        @inline(__always)
        private static func spread(_ short: UInt32) -> UInt64 {
            let product = UInt64(short) &* 0x9e37_79b9_7f4a_7c15
            return product ^ product &>> 32
        }
    }
}
