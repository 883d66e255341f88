import Database
import Events
import Storage

/// Names of events and their rows.
enum EventNames {
    /// Row of a name; nil if no event has had it yet. Throws what the database throws.
    static func row(of name: ByteText, _ reading: Reading) throws(StorageError) -> Int64? {
        let statement = try reading.prepare("SELECT id FROM name WHERE text = ?1")
        try statement.bindText(1, name.bytes)
        return try statement.step() ? statement.int(0) : nil
    }

    /// Row of a standard name; −1, which is no row, if no event has had it yet.
    static func row(of name: StandardEvent, _ reading: Reading) throws(StorageError) -> Int64 {
        try row(of: ByteText(name.rawValue), reading) ?? -1
    }

    /// The names in these rows, in their order. Throws what the database throws.
    static func texts(of rows: [Int64], _ reading: Reading) throws(StorageError) -> [ByteText] {
        let statement = try reading.prepare("SELECT text FROM name WHERE id = ?1")
        var out: [ByteText] = []
        out.reserveCapacity(rows.count)
        for row in rows {
            try statement.bind(1, row)
            out.append(ByteText(bytes: try statement.step() ? statement.blob(0) : []))
            statement.reset()
        }
        return out
    }
}
