import CSQLite

/// SQLite's online backup: copies the pages of one connection's database to another's. While the source
/// is in a read transaction it is that moment's state, whatever is written meanwhile.
struct DatabaseCopy: ~Copyable {
    private let handle: OpaquePointer
    private let target: Connection

    /// Both stay open for as long as this lives.
    init(from source: Connection, to target: Connection) throws(StorageError) {
        guard let handle = sqlite3_backup_init(target.handle, "main", source.handle, "main") else {
            throw target.failure("copy to", sqlite3_errcode(target.handle))
        }
        self.handle = handle
        self.target = target
    }

    deinit { sqlite3_backup_finish(handle) }

    /// Copies some more pages.
    /// - Returns: false when all are copied.
    func step(pages: Int32) throws(StorageError) -> Bool {
        let code = sqlite3_backup_step(handle, pages)
        if code == SQLITE_DONE { return false }
        guard code == SQLITE_OK else { throw target.failure("copy to", code) }
        return true
    }

    /// Pages that are copied, and all; nought before the first step.
    var progress: (done: Int, total: Int) {
        let total = Int(sqlite3_backup_pagecount(handle))
        return (total - Int(sqlite3_backup_remaining(handle)), total)
    }
}
