import Database

/// What was thrown, if it was an error of the database.
package func failure(_ body: () throws -> Void) -> StorageError? {
    do {
        try body()
        return nil
    } catch {
        return error as? StorageError
    }
}
