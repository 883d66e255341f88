import CSQLite

extension StorageError {
    /// What SQLite says of a statement that was interrupted.
    package static func interrupted(path: String) -> StorageError {
        .database(
            operation: "read", path: path, code: SQLITE_INTERRUPT, reason: "interrupted", errno: 0)
    }

    /// Whether `Connection.interrupt` ended it.
    package var isInterruption: Bool {
        guard case .database(_, _, let code, _, _) = self else { return false }
        return code & 0xff == SQLITE_INTERRUPT
    }
}
