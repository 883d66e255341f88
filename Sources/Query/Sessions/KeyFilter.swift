/// Says which of many keys of sessions are among some: four bits for each of these, of 32 or more. It takes
/// one key in some thousands for one of them that is none; never the other way round.
struct KeyFilter: Sendable {
    private var hashes: HashFilter

    /// For so many keys.
    init(for count: Int, _ account: ReportAccount) {
        hashes = HashFilter(for: count, bits: 32, account)
    }

    /// Adds a key.
    mutating func insert(_ key: UInt64) { hashes.insert(NumberHash.hash(key)) }

    /// Whether a key may be here.
    @inline(__always)
    func contains(_ key: UInt64) -> Bool { hashes.contains(NumberHash.hash(key)) }
}
