import Database
import Events
import Storage

/// First completions whose events a prune has deleted: they are kept, so that nobody is credited
/// again.
enum PrunedCompletions {
    /// Calls `body` with row of the device, content, time, row of the batch and of its resource of
    /// each, up to an instant. Throws what the database and `body` throw.
    static func forEach(
        of app: Int64, before end: Int64, _ reading: Reading,
        _ body: (Int64, Span<UInt8>, Int64, Int64, Int64) throws(StorageError) -> Void
    ) throws(StorageError) {
        let statement = try reading.prepare(
            """
            SELECT c.device, c.content, c.time, b.id, b.resource
            FROM completion AS c JOIN batch AS b ON b.id = \(EventID.batchSQL("c.event"))
            WHERE b.app = ?1 AND c.time < ?2
            """)
        try statement.bind(1, app)
        try statement.bind(2, end)
        while try statement.step() {
            let (device, time) = (statement.int(0), statement.int(2))
            let (batch, resource) = (statement.int(3), statement.int(4))
            try statement.withText(1) { (content) throws(StorageError) in
                try body(device, content, time, batch, resource)
            }
        }
    }
}
