import CSQLite
import Glibc

/// SQLite's online backup: copies the pages of one connection's database to another's. While the source
/// is in a read transaction it is that moment's state, whatever is written meanwhile.
package struct DatabaseCopy: ~Copyable {
    private let handle: OpaquePointer
    private let target: Connection
    private let source: String

    /// Both stay open for as long as this lives.
    package init(from source: Connection, to target: Connection) throws(StorageError) {
        guard let handle = sqlite3_backup_init(target.handle, "main", source.handle, "main") else {
            throw target.failure("copy to", sqlite3_errcode(target.handle))
        }
        self.handle = handle
        self.target = target
        self.source = source.path
    }

    deinit { sqlite3_backup_finish(handle) }

    /// Copies some more pages.
    /// - Returns: false when all are copied.
    package func step(pages: Int32) throws(StorageError) -> Bool {
        let code = sqlite3_backup_step(handle, pages)
        if code == SQLITE_DONE { return false }
        guard code == SQLITE_OK else { throw failure(code) }
        return true
    }

    /// The copy's own code, which neither connection has.
    private func failure(_ code: Int32) -> StorageError {
        if code & 0xff == SQLITE_CORRUPT || code & 0xff == SQLITE_NOTADB {
            return .damaged(path: source, found: String(cString: sqlite3_errstr(code)))
        }
        return .database(
            operation: "copy to", path: target.path, code: code,
            reason: String(cString: sqlite3_errstr(code)),
            errno: code & 0xff == SQLITE_FULL ? ENOSPC : 0)
    }

    /// Pages copied, and in total; zero before the first step.
    package var progress: (done: Int, total: Int) {
        let total = Int(sqlite3_backup_pagecount(handle))
        return (total - Int(sqlite3_backup_remaining(handle)), total)
    }
}
