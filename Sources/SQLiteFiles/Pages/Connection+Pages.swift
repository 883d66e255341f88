import CSQLite
import Database

/// The file below a connection, page by page. Through SQLite's own handle: a process that opens and
/// closes the file besides loses its locks on it (https://www.sqlite.org/howtocorrupt.html, 2.2).
extension Connection {
    private func file() throws(StorageError) -> LayerFile {
        LayerFile(try layerFile(SQLITE_FCNTL_FILE_POINTER), of: path)
    }

    private func layerFile(
        _ which: Int32
    ) throws(StorageError) -> UnsafeMutablePointer<sqlite3_file> {
        var file: UnsafeMutablePointer<sqlite3_file>?
        let code = sqlite3_file_control(handle, "main", which, &file)
        guard code == SQLITE_OK, let file else { throw failure("look at", code) }
        return file
    }

    /// Whether the log has a page, in whatever state. In a transaction that has read.
    package func logHasPage(_ number: Int) throws(StorageError) -> Bool {
        guard let file = try log() else { return false }
        var isThere = false
        _ = try LogFrames.walk(LayerFile(file, of: path)) { page in
            isThere = page == number
            return isThere
        }
        return isThere
    }

    /// What is wrong with the log. In a transaction that has read.
    package func logFault() throws(StorageError) -> LogCheck.Fault? {
        guard let file = try log() else { return nil }
        return try LogCheck.run(LayerFile(file, of: path)) { (number, page) throws(StorageError) in
            try readPage(number, into: &page)
        }
    }

    /// Nil for a database that says of itself that it keeps no such log.
    private func log() throws(StorageError) -> UnsafeMutablePointer<sqlite3_file>? {
        let file = try layerFile(SQLITE_FCNTL_JOURNAL_POINTER)
        return file.pointee.pMethods == nil ? nil : file
    }

    /// Reads a page as it stands in the file, whatever the log has of it.
    /// - Parameter number: from 1
    /// - Returns: false where the file has no such page
    package func readPage(_ number: Int, into page: inout [UInt8]) throws(StorageError) -> Bool {
        try file().read(into: &page, at: (number - 1) * page.count)
    }

    /// Overwrites a part of a page with zeros, past log and cache.
    package func zero(_ range: Range<Int>, ofPage number: Int) throws(StorageError) {
        let zeros = [UInt8](repeating: 0, count: range.count)
        try file().write(zeros[...], at: (number - 1) * Self.pageSize + range.lowerBound)
    }

    /// What was written past the log is on disk when this returns.
    func syncFile() throws(StorageError) { try file().sync() }

    /// Forgets all pages that it keeps in memory. In no transaction.
    func forgetPages() { sqlite3_db_release_memory(handle) }
}
