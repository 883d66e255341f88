import Storage

/// The common parts of the lines of batches, for the time of one page: events stand by time, so that
/// those of a batch come with others between them.
struct BatchTexts: ~Copyable {
    private let connection: Connection
    private let statement: Statement
    private var known: [Int64: BatchText] = [:]
    private var size = 0

    /// Octets of them at most, but for the last one; a batch may have as many as its body had.
    private static let limit = 4 << 20

    /// None yet. Throws what the database throws.
    init(_ reading: Reading) throws(StorageError) {
        connection = reading.connection
        statement = try reading.prepare(BatchText.select)
    }

    /// Of the batch in a row; nothing where there is none. Throws what the database throws.
    mutating func text(of id: Int64) throws(StorageError) -> BatchText? {
        if let text = known[id] { return text }
        try statement.bind(1, id)
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        guard let text = BatchText(statement) else {
            throw ExportPages.damage(connection, "a batch has texts that are no JSON array")
        }
        if size > Self.limit {
            known.removeAll(keepingCapacity: true)
            size = 0
        }
        known[id] = text
        size += text.size
        return text
    }
}
