import CSQLite

extension StorageError {
    /// Whether `Connection.interrupt` ended it.
    package var isInterruption: Bool {
        guard case .database(_, _, let code, _, _) = self else { return false }
        return code & 0xff == SQLITE_INTERRUPT
    }
}
