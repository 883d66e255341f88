import Database
import Storage

/// Devices whose erasure has begun and not ended: what is left of them is no longer what was written.
enum UnfinishedErasures {
    /// Their row ids.
    static func devices(_ connection: Connection) throws(StorageError) -> Set<Int64> {
        let table = try connection.integer(
            "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'erasing'")
        guard table != nil else { return [] }
        let rows = try connection.prepare("SELECT device FROM erasing")
        var devices: Set<Int64> = []
        while try rows.step() { devices.insert(rows.int(0)) }
        return devices
    }
}
