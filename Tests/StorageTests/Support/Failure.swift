@testable import Database
@testable import Storage

/// What was thrown, if it was one of Storage's errors.
func failure(_ body: () throws -> Void) -> StorageError? {
    do {
        try body()
        return nil
    } catch {
        return error as? StorageError
    }
}

extension StorageError {
    /// A sync that failed, as SQLite tells it: SQLITE_IOERR_FSYNC.
    static let failedSync = StorageError.database(
        operation: "write", path: "", code: 10 | 4 << 8, reason: "", errno: 5)
}
