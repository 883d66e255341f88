import Database

/// The connection that writes, and what is prepared on it.
struct WritingConnection {
    let connection: Connection
    let inserter: BatchInserter
    let mover: WALMover
}
