import Storage

/// The ids that devices gave their batches, which decide between events of one moment.
struct BatchIDs: ~Copyable {
    private let statement: Statement

    /// Throws what the database throws.
    init(_ reading: Reading) throws(StorageError) {
        statement = try reading.prepare("SELECT batch_id FROM batch WHERE id = ?1")
    }

    /// The octets of a batch's id, by its row. Throws what the database throws.
    func id(of batch: Int64) throws(StorageError) -> [UInt8] {
        try statement.bind(1, batch)
        defer { statement.reset() }
        return try statement.step() ? statement.blob(0) : []
    }

    /// Of some, the first one whose batch's id comes before all others by octets; nil without any. Throws
    /// what the database throws.
    func first<Item>(
        of some: ArraySlice<Item>, batch: (Item) -> Int64
    ) throws(StorageError) -> Item? {
        var first: (item: Item, id: [UInt8])?
        for item in some {
            let id = try id(of: batch(item))
            if first.map({ id.lexicographicallyPrecedes($0.id) }) ?? true { first = (item, id) }
        }
        return first?.item
    }
}
