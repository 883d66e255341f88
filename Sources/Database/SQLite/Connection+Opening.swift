import CPageCache
import CSQLite

extension Connection {
    /// Opens the file as SQLite can read it where it lies.
    ///
    /// A database in WAL mode is read with the help of shared memory beside it, which SQLite cannot
    /// make on a file system that is mounted read-only. There nobody changes the file, so it is read as
    /// one that does not change (https://www.sqlite.org/uri.html#uriimmutable): without locks and WAL.
    /// - Throws: `walOnReadOnlyDisk` where the WAL may hold what the file does not have yet.
    package static func open(
        _ path: String, _ mode: Mode, through layer: (any FileLayer)?
    ) throws(StorageError) -> OpaquePointer {
        var prepared = SQLiteLibrary.prepare()
        if prepared == SQLITE_OK, let layer { prepared = layer.register() }
        guard prepared == SQLITE_OK else {
            throw .database(
                operation: "prepare SQLite for", path: path, code: prepared,
                reason: String(cString: sqlite3_errstr(prepared)), errno: 0)
        }
        let common = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        switch mode {
        case .write:
            return try open(
                path, named: path, common | SQLITE_OPEN_READWRITE, through: layer?.name)
        case .copy:
            return try open(path, named: path, common | SQLITE_OPEN_READWRITE)
        case .memory:
            return try open(path, named: path, common | SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY)
        case .read: break
        }
        let flags = common | SQLITE_OPEN_READONLY
        let handle = try open(path, named: path, flags)
        let file = FileSystem.resolved(path) ?? path
        guard FileSystem.isReadOnly(FileSystem.parent(of: file)), !isReadable(handle) else {
            return handle
        }
        sqlite3_close_v2(handle)
        let wal = file + "-wal"
        if let status = try FileSystem.status(of: wal), status.st_size > 0 {
            throw .walOnReadOnlyDisk(path: wal)
        }
        return try open(
            path, named: "file:\(uriPath(file))?immutable=1", flags | SQLITE_OPEN_URI)
    }

    /// - Parameters:
    ///   - name: the path, or a URI of it
    ///   - layer: the name of the VFS; nil for SQLite's own
    private static func open(
        _ path: String, named name: String, _ flags: Int32, through layer: String? = nil
    ) throws(StorageError) -> OpaquePointer {
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(name, &opened, flags, layer)
        guard let opened, code == SQLITE_OK else {
            defer { sqlite3_close_v2(opened) }
            throw .database(
                operation: "open", path: path, code: code,
                reason: String(cString: sqlite3_errstr(code)),
                errno: opened.map(sqlite3_system_errno) ?? 0)
        }
        return opened
    }

    /// Whether SQLite gets as far as the first page, be that sound or not.
    private static func isReadable(_ handle: OpaquePointer) -> Bool {
        sqlite3_exec(handle, "PRAGMA schema_version", nil, nil, nil) & 0xff != SQLITE_CANTOPEN
    }

    /// A path for a URI: bytes that have a meaning in one are written as `%NN`. An absolute
    /// path gets an empty authority before it, since two slashes would begin one.
    static func uriPath(_ path: String) -> String {
        let bytes = path.utf8.map { byte -> String in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
                UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"):
                return String(UnicodeScalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                return (byte < 16 ? "%0" : "%") + digits
            }
        }
        return (path.hasPrefix("/") ? "//" : "") + bytes.joined()
    }
}

/// A layer between SQLite and the system's files (a VFS, https://www.sqlite.org/vfs.html) through which a
/// connection may be opened. Rooms above define which there are.
package protocol FileLayer: Sendable {
    /// Its name, for sqlite3_open_v2.
    var name: String { get }
    /// Registers it with SQLite; once more does no harm.
    /// - Returns: SQLite's code
    func register() -> Int32
    /// After a rollback: what the transaction wrote is to be dropped.
    /// - Parameter database: `sqlite3 *`
    func didRollBack(_ database: OpaquePointer)
    /// Before a connection closes.
    /// - Parameter database: `sqlite3 *`
    func willClose(_ database: OpaquePointer)
}

/// Settings of all connections of the process.
package enum SQLiteLibrary {
    /// To be called before the first connection. Without statistics SQLite's allocator takes no global
    /// lock.
    /// - Returns: SQLite's code
    @discardableResult
    package static func prepare() -> Int32 { prepared }

    private static let prepared: Int32 = {
        // SQLITE_MISUSE where SQLite was used before: then both stay as they were.
        _ = sojourn_sqlite_config(SQLITE_CONFIG_MEMSTATUS, 0)
        _ = cpagecache_prepare()
        return sqlite3_initialize()
    }()
}
