import Database
import Storage

/// The shared devices of an app (docs/protocol.md, Device identity), which reports never count.
struct SharedDevices: Sendable {
    private var rows = RowSet()

    /// Reads them. Throws what the database throws.
    init(of app: Int64, _ reading: Reading) throws(StorageError) {
        let statement = try reading.prepare(
            """
            SELECT id FROM device INDEXED BY device_shared
            WHERE app = ?1 AND shared <> 0 AND id > 0
            """)
        try statement.bind(1, app)
        while try statement.step() { rows.insert(statement.int(0)) }
    }

    /// Whether a device, by its row id, is one of them.
    @inline(__always)
    func contains(_ id: Int64) -> Bool { rows.contains(id) }
}

/// A set of row ids: one bit for each of the usual small ones.
struct RowSet: Sendable {
    /// The bits of row ids below `dense`, up to the greatest one in the set.
    private var bits: [UInt64] = []
    /// The other row ids: they may be any number.
    private var others: Set<Int64> = []
    /// For greater row ids the bits would take more than 8 MB.
    private static let dense: Int64 = 1 << 26

    /// Bytes that it takes, about.
    var allocatedBytes: Int { bits.allocatedBytes + others.capacity * 16 }

    /// Adds a row id.
    mutating func insert(_ id: Int64) {
        guard (0..<Self.dense).contains(id) else {
            others.insert(id)
            return
        }
        let word = Int(id >> 6)
        if word >= bits.count {
            bits += repeatElement(0, count: max(word + 1 - bits.count, bits.count))
        }
        bits[word] |= 1 << UInt64(id & 63)
    }

    /// Whether the set holds a row id.
    @inline(__always)
    func contains(_ id: Int64) -> Bool {
        guard (0..<Self.dense).contains(id) else { return others.contains(id) }
        let word = Int(id >> 6)
        return word < bits.count && bits[word] >> UInt64(id & 63) & 1 == 1
    }
}
