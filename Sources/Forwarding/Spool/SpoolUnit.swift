import Engine

/// A run of batches of the spool in the order stored, as rows of the engine: what is handed over at once.
package struct SpoolUnit: Sendable {
    /// How large one may be.
    package struct Limit: Sendable {
        /// Batches.
        package var batches = 1_000
        /// Bytes of rows of batches, over all shards. One that is larger makes a unit alone.
        package var bytes = 16 << 20

        /// A thousand batches, 16 MiB.
        package init() {}
    }

    /// Rows of one shard.
    package struct Shard: Sendable {
        /// Of `batch`, in `RowBinary`, and how many.
        package internal(set) var batches = RowBinary.Writer()
        package internal(set) var batchCount = 0
        /// Of `arrival`, in `RowBinary`, and how many.
        package internal(set) var arrivals = RowBinary.Writer()
        package internal(set) var arrivalCount = 0
    }

    /// By shard, in their order.
    package internal(set) var shards: [Shard]
    /// The row of the last batch that was looked at: the next unit follows it.
    package internal(set) var lastBatch: Int64
    /// How many batches it has: none where all that were looked at are of devices that are being erased.
    package internal(set) var batches = 0
    /// How many events these have.
    package internal(set) var events = 0
    /// Their bodies as sent, in bytes.
    package internal(set) var bodyBytes: Int64 = 0
    /// When the last of them to come arrived, milliseconds since 1970; nil without any.
    package internal(set) var lastArrival: Int64?
    /// Whether the spool had further batches: the unit is full.
    package internal(set) var isFull = false

    /// Without batches, after one.
    init(after batch: Int64, shards count: Int) {
        shards = Array(repeating: Shard(), count: max(1, count))
        lastBatch = batch
    }

    /// Bytes of its rows of batches.
    package var bytes: Int { shards.reduce(0) { $0 + $1.batches.count } }
}
