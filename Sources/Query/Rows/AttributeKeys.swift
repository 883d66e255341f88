import Columns
import Database
import Events
import Storage

/// Keys of attributes and what stands for them in the database.
enum AttributeKeys {
    /// Of keys as devices write them. Throws what the database throws.
    static func found(
        _ keys: [ByteText], _ reading: Reading
    ) throws(StorageError) -> [AttributeKey] {
        let find = try reading.prepare("SELECT id FROM attribute_key WHERE text = ?1")
        var found: [AttributeKey] = []
        for key in keys {
            if key == ByteText(StandardAttribute.sessionID.key) {
                found.append(.session)
                continue
            }
            try find.bindText(1, key.bytes)
            found.append(try find.step() ? .row(find.int(0)) : .none)
            find.reset()
        }
        return found
    }
}
