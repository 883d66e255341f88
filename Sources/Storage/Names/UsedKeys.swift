import Database
import Events

/// Which of the keys that a batch lists its events have: all, unless some of these were pruned.
package final class UsedKeys {
    private let events: Statement

    package init(_ connection: Connection) throws(StorageError) {
        events = try connection.prepare(
            """
            SELECT attributes FROM event
            WHERE \(EventID.isSQL("id", ofBatch: "?1"))
            """)
    }

    /// - Parameter keys: as `batch.attribute_keys` has them
    package func of(_ batch: Int64, listing keys: [Int64]) throws(StorageError) -> Set<Int64> {
        var used: Set<Int64> = []
        if keys.isEmpty { return used }
        try events.bind(1, batch)
        defer { events.reset() }
        while used.count < keys.count, try events.step() {
            events.withText(0) { text in
                AttributeText.forEachKey(in: text) { index, _ in
                    if index < keys.count { used.insert(keys[index]) }
                }
            }
        }
        return used
    }
}
