import Database
import Events
import Storage

/// The row of a device.
struct DeviceRow: Sendable {
    let id: Int64
    /// Whether the device is shared (docs/protocol.md, Device identity).
    let isShared: Bool
    /// Milliseconds since 1970-01-01T00:00:00Z; nil without an event.
    let firstSeen: Int64?

    /// Nil where the app has no such device. Throws what the database throws.
    static func find(
        _ device: DeviceHash, of app: QueryApp, _ reading: Reading
    ) throws(StorageError) -> DeviceRow? {
        let row = try reading.prepare(
            "SELECT id, shared, first_time FROM device WHERE app = ?1 AND hash = ?2")
        try row.bind(1, app.id)
        try row.bindBlob(2, device.bytes)
        guard try row.step() else { return nil }
        return DeviceRow(id: row.int(0), isShared: row.int(1) != 0, firstSeen: row.optionalInt(2))
    }
}
