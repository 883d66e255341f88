import Database
import Storage

/// What of the spool waits to be handed over, counted as it comes: no batch is counted twice.
struct SpoolBacklog {
    private(set) var batches: Int64 = 0
    /// Bodies as sent.
    private(set) var bytes: Int64 = 0
    /// When the first that waits arrived, milliseconds since 1970; nil where none waits.
    private(set) var oldest: Int64?
    private var mark: Int64
    private var counted: Int64

    /// Of what follows a batch; nothing is counted yet.
    init(after batch: Int64) {
        (mark, counted) = (batch, batch)
    }

    /// All up to a batch are handed over.
    mutating func handedOver(to batch: Int64, batches: Int64, bytes: Int64) {
        mark = batch
        guard counted >= batch else {
            // More was handed over than had been counted.
            self = SpoolBacklog(after: batch)
            return
        }
        self.batches = max(0, self.batches - batches)
        self.bytes = max(0, self.bytes - bytes)
    }

    /// Counts what has come since.
    mutating func update(_ connection: Connection) throws(StorageError) {
        let new = try connection.prepare(
            "SELECT count(*), coalesce(sum(body_bytes), 0), max(id) FROM batch WHERE id > ?1")
        try new.bind(1, counted)
        if try new.step(), let last = new.optionalInt(2) {
            batches += new.int(0)
            bytes = bytes.addingSaturated(new.int(1))
            counted = last
        }
        let first = try connection.prepare(
            "SELECT received_at FROM batch WHERE id > ?1 ORDER BY id LIMIT 1")
        try first.bind(1, mark)
        oldest = try first.step() ? first.int(0) : nil
        if oldest == nil { (batches, bytes) = (0, 0) }
    }
}
