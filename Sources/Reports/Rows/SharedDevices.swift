import Storage

/// The devices of an app that are many (docs/protocol.md, Device identity): never counted.
struct SharedDevices: Sendable {
    private var ids: Set<Int64> = []

    /// Reads them. Throws what the database throws.
    init(of app: Int64, _ reading: Reading) throws(StorageError) {
        let statement = try reading.prepare(
            "SELECT id FROM device WHERE app = ?1 AND shared <> 0")
        try statement.bind(1, app)
        while try statement.step() { ids.insert(statement.int(0)) }
    }

    /// Whether a device, by its row id, is one of them.
    func contains(_ id: Int64) -> Bool { ids.contains(id) }
}
