import CSQLite

/// What is set once for all connections of the process.
package enum SQLiteLibrary {
    /// Before the first connection. Without its statistics SQLite's allocator takes no global lock.
    /// - Returns: SQLite's code
    @discardableResult
    package static func prepare() -> Int32 { prepared }

    private static let prepared: Int32 = {
        // SQLITE_MISUSE where somebody has used SQLite before us: then it stays as it was.
        _ = sojourn_sqlite_config(SQLITE_CONFIG_MEMSTATUS, 0)
        return sqlite3_initialize()
    }()
}
