import Database
import Storage

/// The devices of an app that are many (docs/protocol.md, Device identity): never counted.
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

/// A set of row ids: a bit each where they are as small as they mostly are.
struct RowSet: Sendable {
    /// By row id, up to the greatest of them that is below `dense`.
    private var bits: [UInt64] = []
    /// The others: a row id may be anything.
    private var others: Set<Int64> = []
    /// Where bits would take more than 8 MB.
    private static let dense: Int64 = 1 << 26

    /// Adds one.
    mutating func insert(_ id: Int64) {
        guard (0..<Self.dense).contains(id) else {
            others.insert(id)
            return
        }
        let place = Int(id >> 6)
        if place >= bits.count {
            bits += repeatElement(0, count: max(place + 1 - bits.count, bits.count))
        }
        bits[place] |= 1 << UInt64(id & 63)
    }

    /// Whether it is in it.
    @inline(__always)
    func contains(_ id: Int64) -> Bool {
        guard (0..<Self.dense).contains(id) else { return others.contains(id) }
        let place = Int(id >> 6)
        return place < bits.count && bits[place] >> UInt64(id & 63) & 1 == 1
    }
}
