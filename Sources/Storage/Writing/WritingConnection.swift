import Database

/// The connection that writes, and what is prepared on it.
struct WritingConnection {
    let connection: Connection
    let inserter: BatchInserter
    let mover: WALMover

    /// Merges small segments, until a deadline, in a transaction of its own. Days whose merge is rolled back are due
    /// again.
    /// - Parameter deadline: uptime in nanoseconds
    func mergeSome(until deadline: UInt64) throws(StorageError) {
        do throws(StorageError) {
            try connection.transaction { () throws(StorageError) in
                try inserter.mergeSome(until: deadline)
            }
        } catch {
            inserter.endMerges(isCommitted: false)
            throw error
        }
        inserter.endMerges(isCommitted: true)
    }
}
