import Database
import Storage

/// Reads the ids that devices gave their batches, which decide between events of one moment.
struct BatchIDs: ~Copyable {
    private let statement: Statement

    /// Throws what the database throws.
    init(_ reading: Reading) throws(StorageError) {
        statement = try reading.prepare("SELECT batch_id FROM batch WHERE id = ?1")
    }

    /// The bytes of a batch's id, by its row. Throws what the database throws.
    func id(of batch: Int64) throws(StorageError) -> [UInt8] {
        try statement.bind(1, batch)
        defer { statement.reset() }
        return try statement.step() ? statement.blob(0) : []
    }

    /// The item whose batch has the first id, by bytes; nil without items. Throws what the database
    /// throws.
    func first<Items: Sequence>(
        of some: Items, batch: (Items.Element) -> Int64
    ) throws(StorageError) -> Items.Element? {
        try best(of: some, batch) { $0.lexicographicallyPrecedes($1) }
    }

    /// The item whose batch has the last id, by bytes; nil without items. Throws what the database
    /// throws.
    func last<Items: Sequence>(
        of some: Items, batch: (Items.Element) -> Int64
    ) throws(StorageError) -> Items.Element? {
        try best(of: some, batch) { $1.lexicographicallyPrecedes($0) }
    }

    private func best<Items: Sequence>(
        of some: Items, _ batch: (Items.Element) -> Int64, by isBetter: ([UInt8], [UInt8]) -> Bool
    ) throws(StorageError) -> Items.Element? {
        var best: (item: Items.Element, id: [UInt8])?
        for item in some {
            let id = try id(of: batch(item))
            if best.map({ isBetter(id, $0.id) }) ?? true { best = (item, id) }
        }
        return best?.item
    }
}
