import Database

extension Connection {
    /// Runs `body` on one state of the database, whatever is written meanwhile. The log cannot be
    /// emptied for as long. Not to be nested.
    package func snapshot<T>(_ body: () throws(StorageError) -> T) throws(StorageError) -> T {
        try execute("BEGIN")
        defer { rollBack() }
        return try body()
    }
}
