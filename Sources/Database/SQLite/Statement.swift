import CSQLite

/// A prepared statement: bind, step, read, reset. Finalized when it goes. Parameters count from 1,
/// columns from 0, as in SQLite. Prepared once and used again wherever it runs more than once.
package struct Statement: ~Copyable {
    package let handle: OpaquePointer

    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { sqlite3_finalize(handle) }

    /// Goes to the next row. False at the end.
    @inline(__always)
    package func step() throws(StorageError) -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        throw failure("read or write", code)
    }

    /// Runs to the end and resets, also when it fails.
    @inline(__always)
    package func run() throws(StorageError) {
        var code = sqlite3_step(handle)
        while code == SQLITE_ROW { code = sqlite3_step(handle) }
        guard code == SQLITE_DONE else {
            // Before the reset, which would tell the same error again.
            let error = failure("write", code)
            sqlite3_reset(handle)
            throw error
        }
        sqlite3_reset(handle)
    }

    /// Back to before the first row, with its parameters as they are. A statement that is not reset
    /// holds its read transaction open.
    @inline(__always)
    package func reset() { sqlite3_reset(handle) }

    /// All parameters to null: where a bound text must not stay in memory or may dangle.
    package func clear() { sqlite3_clear_bindings(handle) }

    @inline(__always)
    package func check(_ code: Int32) throws(StorageError) {
        if code != SQLITE_OK { throw failure("bind a value for", code) }
    }

    private func failure(_ operation: StaticString, _ code: Int32) -> StorageError {
        Connection.failure(operation, code, on: sqlite3_db_handle(handle))
    }
}
