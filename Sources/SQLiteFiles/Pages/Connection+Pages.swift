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

    /// Whether the WAL has a frame of the page. Within a transaction that has read.
    package func walHasPage(_ number: Int) throws(StorageError) -> Bool {
        guard let file = try wal() else { return false }
        var isThere = false
        _ = try WALFrames.walk(LayerFile(file, of: path)) { page in
            isThere = page == number
            return isThere
        }
        return isThere
    }

    /// What is wrong with the WAL. Within a transaction that has read.
    package func walFault() throws(StorageError) -> WALCheck.Fault? {
        guard let file = try wal() else { return nil }
        return try WALCheck.run(LayerFile(file, of: path)) { (number, page) throws(StorageError) in
            try readPage(number, into: &page)
        }
    }

    /// Nil for a database that is in no WAL mode.
    private func wal() throws(StorageError) -> UnsafeMutablePointer<sqlite3_file>? {
        let file = try layerFile(SQLITE_FCNTL_JOURNAL_POINTER)
        return file.pointee.pMethods == nil ? nil : file
    }

    /// Reads a page from the file, not from the WAL.
    /// - Parameter number: from 1
    /// - Returns: false where the file has no such page
    package func readPage(_ number: Int, into page: inout [UInt8]) throws(StorageError) -> Bool {
        try file().read(into: &page, at: (number - 1) * page.count)
    }

    /// Reads the first bytes of a page, as many as there is room for, from the file.
    /// - Returns: false where the file has no such page
    func read(into bytes: inout [UInt8], ofPage number: Int) throws(StorageError) -> Bool {
        try file().read(into: &bytes, at: (number - 1) * Self.pageSize)
    }

    /// Overwrites a part of a page with zeros, in the file itself, not in WAL or cache.
    package func zero(_ range: Range<Int>, ofPage number: Int) throws(StorageError) {
        let zeros = [UInt8](repeating: 0, count: range.count)
        try file().write(zeros[...], at: (number - 1) * Self.pageSize + range.lowerBound)
    }

    /// What was written to the file itself is on disk when this returns.
    package func syncFile() throws(StorageError) { try file().sync() }

    /// Drops all pages from the cache. Outside a transaction.
    func forgetPages() { sqlite3_db_release_memory(handle) }
}
