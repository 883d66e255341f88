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
