import CSQLite
import Database
import Glibc

/// A file as SQLite's layer to the system (its VFS) has it, without WAL and cache: a connection's own, or
/// one opened separately.
package struct LayerFile: ~Copyable {
    /// Maximum size of one read or write: SQLite asks for no more than a page, and the layer uses
    /// 17 bits of the size.
    package static let maxBytes = 1 << 16

    private let path: String
    private let file: UnsafeMutablePointer<sqlite3_file>
    /// The path as the layer keeps it while the file is open; nil where the file is a connection's.
    private let name: UnsafeMutablePointer<CChar>?

    /// The file that a connection has open. Not to be used once that has closed.
    init(_ file: UnsafeMutablePointer<sqlite3_file>, of path: String) {
        self.file = file
        self.path = path
        name = nil
    }

    /// Opens a WAL, or a copy of one.
    /// - Parameter makes: creates it if it is missing, with the mode of the database whose name comes
    ///   before its last hyphen; its first `sync` then covers the name too.
    init(wal path: String, makes: Bool) throws(StorageError) {
        SQLiteLibrary.prepare()
        guard let layer = sqlite3_vfs_find(nil), let open = layer.pointee.xOpen,
            let name = strdup(path)
        else { throw Self.failure("open", path, SQLITE_NOMEM, errno: 0) }
        guard path.utf8.count < Int(layer.pointee.mxPathname) else {
            free(name)
            throw Self.failure("open", path, SQLITE_CANTOPEN, errno: ENAMETOOLONG)
        }
        let room = UnsafeMutableRawPointer.allocate(
            byteCount: Int(layer.pointee.szOsFile), alignment: 16)
        let file = room.bindMemory(to: sqlite3_file.self, capacity: 1)
        file.initialize(to: sqlite3_file())
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_WAL | (makes ? SQLITE_OPEN_CREATE : 0)
        let code = open(layer, name, file, flags, nil)
        if code != SQLITE_OK {
            let errno = layer.pointee.xGetLastError?(layer, 0, nil) ?? 0
            _ = file.pointee.pMethods?.pointee.xClose?(file)
            room.deallocate()
            free(name)
            throw Self.failure("open", path, code, errno: errno)
        }
        self.path = path
        self.file = file
        self.name = name
    }

    deinit {
        guard let name else { return }
        _ = file.pointee.pMethods?.pointee.xClose?(file)
        UnsafeMutableRawPointer(file).deallocate()
        free(name)
    }

    /// Removes a file; a missing one is no error. Its name is gone from disk when this returns.
    package static func remove(_ path: String) throws(StorageError) {
        SQLiteLibrary.prepare()
        guard let layer = sqlite3_vfs_find(nil), let remove = layer.pointee.xDelete else { return }
        let code = remove(layer, path, 1)
        // SQLITE_IOERR_DELETE_NOENT, a macro that Swift does not import.
        if code == SQLITE_OK || code == SQLITE_IOERR | 23 << 8 { return }
        let errno = layer.pointee.xGetLastError?(layer, 0, nil) ?? 0
        throw failure("remove", path, code, errno: errno)
    }

    /// Its length in bytes.
    package func length() throws(StorageError) -> Int {
        var length: Int64 = 0
        try check("look at", file.pointee.pMethods?.pointee.xFileSize?(file, &length))
        return Int(length)
    }

    /// Fills the first `count` of `bytes`, by default all, from `offset` on.
    /// - Parameter bytes: at most `maxBytes`, as in `write`
    /// - Returns: false where the file ends within them
    package func read(
        _ count: Int? = nil, into bytes: inout [UInt8], at offset: Int
    ) throws(StorageError) -> Bool {
        let count = min(count ?? bytes.count, bytes.count)
        let code = bytes.withUnsafeMutableBytes {
            file.pointee.pMethods?.pointee.xRead?(file, $0.baseAddress, Int32(count), Int64(offset))
        }
        // SQLITE_IOERR_SHORT_READ, likewise.
        if code == SQLITE_IOERR | 2 << 8 { return false }
        try check("read", code)
        return true
    }

    /// Overwrites from `offset` on.
    package func write(_ bytes: ArraySlice<UInt8>, at offset: Int) throws(StorageError) {
        let code = bytes.withUnsafeBytes {
            file.pointee.pMethods?.pointee.xWrite?(
                file, $0.baseAddress, Int32($0.count), Int64(offset))
        }
        try check("write", code)
    }

    /// What was written is on disk when this returns.
    package func sync() throws(StorageError) {
        try check("sync", file.pointee.pMethods?.pointee.xSync?(file, SQLITE_SYNC_NORMAL))
    }

    /// The error for a file that got shorter while it was read.
    var cutShort: StorageError {
        .damaged(path: path, found: "it became shorter while it was read")
    }

    private func check(_ operation: StaticString, _ code: Int32?) throws(StorageError) {
        guard code != SQLITE_OK else { return }
        var errno: Int32 = 0
        _ = file.pointee.pMethods?.pointee.xFileControl?(file, SQLITE_FCNTL_LAST_ERRNO, &errno)
        throw Self.failure(operation, path, code ?? SQLITE_MISUSE, errno: errno)
    }

    private static func failure(
        _ operation: StaticString, _ path: String, _ code: Int32, errno: Int32
    ) -> StorageError {
        .database(
            operation: operation, path: path, code: code,
            reason: String(cString: sqlite3_errstr(code)), errno: errno)
    }
}
