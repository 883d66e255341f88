import Database
import Storage

/// Brings a stored batch's columns in line with the events it has left. On a connection that writes,
/// within the transaction that deleted some of them.
final class BatchChecksum {
    private let content: StoredContent
    private let update: Statement

    init(_ connection: Connection) throws(StorageError) {
        content = try StoredContent(connection)
        update = try connection.prepare(
            """
            UPDATE batch
            SET pruned = ?2, first_time = ?3, last_time = ?4, checksum = ?5,
                sessions = iif(?6, sessions, NULL), attribute_keys = iif(?6, attribute_keys, NULL)
            WHERE id = ?1
            """)
    }

    /// The row of the device of a batch that is not what was written; nil for one that is, or that is
    /// not there.
    func device(ofBroken number: Int64) throws(StorageError) -> Int64? {
        guard let found = try content.read(number), found.actual != found.checksum else {
            return nil
        }
        return found.device
    }

    /// Sets `pruned`, the span and the checksum; without events also the lists of texts to null. Does
    /// nothing where there is no such batch.
    func refresh(batch number: Int64) throws(StorageError) {
        guard let found = try content.read(number, asIfPruned: true) else { return }
        try update.bind(1, number)
        try update.bind(2, found.columns.pruned)
        try update.bind(3, found.columns.firstTime)
        try update.bind(4, found.columns.lastTime)
        try update.bind(5, found.actual)
        try update.bind(6, found.events > 0)
        try update.run()
    }
}
