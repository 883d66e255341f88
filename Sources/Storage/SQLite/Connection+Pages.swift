import CSQLite

/// The file below a connection, page by page. Through SQLite's own handle: a process that opens and
/// closes the file besides loses its locks on it (https://www.sqlite.org/howtocorrupt.html, 2.2).
extension Connection {
    private var file: UnsafeMutablePointer<sqlite3_file>? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        return code == SQLITE_OK ? file : nil
    }

    /// Reads a page as it stands in the file, whatever the log has of it.
    /// - Parameter number: from 1
    /// - Returns: false where the file has no such page
    func readPage(_ number: Int, into page: inout [UInt8]) throws(StorageError) -> Bool {
        guard let file, let read = file.pointee.pMethods?.pointee.xRead else { return false }
        let offset = Int64(number - 1) * Int64(page.count)
        let code = page.withUnsafeMutableBytes {
            read(file, $0.baseAddress, Int32($0.count), offset)
        }
        // SQLITE_IOERR_SHORT_READ, which is no constant that Swift imports.
        if code == SQLITE_IOERR | 2 << 8 { return false }
        guard code == SQLITE_OK else { throw failure("read", code) }
        return true
    }

    /// Overwrites a part of a page with zeros, past log and cache.
    func zero(_ range: Range<Int>, ofPage number: Int) throws(StorageError) {
        guard let file, let write = file.pointee.pMethods?.pointee.xWrite else { return }
        let offset = Int64(number - 1) * Int64(Self.pageSize) + Int64(range.lowerBound)
        let zeros = [UInt8](repeating: 0, count: range.count)
        let code = zeros.withUnsafeBytes {
            write(file, $0.baseAddress, Int32($0.count), offset)
        }
        guard code == SQLITE_OK else { throw failure("write", code) }
    }

    /// What was written past the log is on disk when this returns.
    func syncFile() throws(StorageError) {
        guard let file, let sync = file.pointee.pMethods?.pointee.xSync else { return }
        let code = sync(file, SQLITE_SYNC_NORMAL)
        guard code == SQLITE_OK else { throw failure("sync", code) }
    }

    /// Forgets all pages that it keeps in memory. In no transaction.
    func forgetPages() { sqlite3_db_release_memory(handle) }
}
