import Storage

/// The resources that a filter lets through, by their row ids.
struct ResourceSet: Sendable {
    private let ids: Set<Int64>?
    /// A bit a row id that is below `dense`: nearly all are.
    private var bits: [UInt64] = []
    private static let dense: Int64 = 1 << 20

    /// Reads what a filter lets through. Throws what the database throws.
    init(_ filter: ResourceFilter, _ reading: Reading) throws(StorageError) {
        if filter.isEmpty {
            ids = nil
            return
        }
        let statement = try reading.prepare(ResourceFilter.matching)
        try statement.bind(filter)
        var ids: Set<Int64> = []
        while try statement.step() {
            let id = statement.int(0)
            guard (0..<Self.dense).contains(id) else {
                ids.insert(id)
                continue
            }
            let place = Int(id >> 6)
            if place >= bits.count {
                bits += repeatElement(0, count: max(place + 1 - bits.count, bits.count))
            }
            bits[place] |= 1 << UInt64(id & 63)
        }
        self.ids = ids
    }

    /// Whether batches of this resource count.
    @inline(__always)
    func contains(_ id: Int64) -> Bool {
        guard let ids else { return true }
        guard (0..<Self.dense).contains(id) else { return ids.contains(id) }
        let place = Int(id >> 6)
        return place < bits.count && bits[place] >> UInt64(id & 63) & 1 == 1
    }
}

extension Statement {
    /// Binds ?1 to ?4 to a filter.
    func bind(_ filter: ResourceFilter) throws(StorageError) {
        for (place, texts) in filter.bindings.enumerated() {
            try bindText(Int32(place + 1), texts)
        }
    }
}
