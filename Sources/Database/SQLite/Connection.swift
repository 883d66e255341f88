import CSQLite

/// One connection to the database. SQLite runs without its own mutex (`SQLITE_OPEN_NOMUTEX`: "safe to
/// use by multiple threads as long as no single database connection is used by two at a time"), so
/// whoever owns it lets only one queue at a time touch it; `interrupt` alone may come from anywhere.
/// It closes in `deinit`, so a caller of `interrupt` always holds an open one.
package final class Connection: @unchecked Sendable {
    /// What a connection may do.
    package enum Mode: Sendable {
        /// The one connection that writes. The file must be there.
        case write
        /// Reads only, from this or another process.
        case read
        /// Writes a copy into an empty file that nobody else uses: the caller syncs it.
        case copy
        /// A database in memory: for comparing schemas and in tests.
        case memory
    }

    /// How long to wait for another connection's lock, in milliseconds: then it is an error.
    package static let busyTimeout: Int32 = 5_000

    /// As it was opened.
    package let path: String
    package let handle: OpaquePointer
    /// How many frames the WAL had after the last commit of this connection.
    private let walFrames: UnsafeMutablePointer<Int32>
    /// The VFS through which its file is open; nil: SQLite's own.
    private let layer: (any FileLayer)?
    /// Objects that live as long as the connection.
    private var kept: [AnyObject] = []

    /// Opens and configures. Reads of the file only what the settings need.
    /// - Parameters:
    ///   - cacheBytes: how much of the file this connection keeps in memory at most
    ///   - layer: the VFS to open its file through; nil: SQLite's own
    package init(
        path: String, mode: Mode, cacheBytes: Int = 8 << 20, through layer: (any FileLayer)? = nil
    ) throws(StorageError) {
        handle = try Self.open(path, mode, through: layer)
        self.path = path
        self.layer = layer
        walFrames = .allocate(capacity: 1)
        walFrames.initialize(to: 0)
        sqlite3_busy_timeout(handle, Self.busyTimeout)
        let registered = RowChecksum.register(on: handle)
        guard registered == SQLITE_OK else { throw failure("add a function to", registered) }
        try configure(mode, cacheBytes: cacheBytes)
    }

    deinit {
        // _v2: a statement that outlives the connection keeps the handle until it is finalized, and
        // must not count frames into memory that is gone.
        sqlite3_wal_hook(handle, nil, nil)
        layer?.willClose(handle)
        sqlite3_close_v2(handle)
        walFrames.deallocate()
    }

    /// Compiles one statement. `sql` is ours, values are bound.
    package func prepare(_ sql: String) throws(StorageError) -> Statement {
        var statement: OpaquePointer?
        var sql = sql
        let code = sql.withUTF8 { text in
            text.withMemoryRebound(to: CChar.self) {
                sqlite3_prepare_v3(
                    handle, $0.baseAddress, Int32($0.count), UInt32(SQLITE_PREPARE_PERSISTENT),
                    &statement, nil)
            }
        }
        guard code == SQLITE_OK, let statement else {
            throw failure("prepare a statement on", code)
        }
        return Statement(statement)
    }

    /// Runs statements without parameters and ignores their rows.
    package func execute(_ sql: String) throws(StorageError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure("change", code) }
    }

    /// Runs `body` in one transaction: committed when it returns, rolled back when it throws or when
    /// the commit fails. Not to be nested.
    package func transaction<T>(
        _ body: () throws(StorageError) -> T
    ) throws(StorageError) -> T {
        try execute("BEGIN IMMEDIATE")
        do throws(StorageError) {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            rollBack()
            throw error
        }
    }

    /// Ends a transaction that failed, unless SQLite has already done so.
    package func rollBack() {
        if isInTransaction { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
        layer?.didRollBack(handle)
    }

    /// Whether a transaction is open.
    package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Row id of the last row that this connection inserted.
    package var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    /// Rows that the last statement changed.
    package var changes: Int64 { sqlite3_changes64(handle) }

    /// Frames in the WAL as of this connection's last commit, or since it was cut.
    package var framesInWAL: Int { Int(walFrames.pointee) }

    /// The WAL was cut: it has no frames.
    package func noteEmptyWAL() { walFrames.pointee = 0 }

    /// Ends the running statement with SQLITE_INTERRUPT. From any thread.
    package func interrupt() { sqlite3_interrupt(handle) }

    /// Keeps an object for as long as the connection is open: what SQLite's callbacks use.
    package func keep(_ object: AnyObject) { kept.append(object) }

    /// Lets `framesInWAL` follow the commits. Replaces SQLite's own automatic checkpoint.
    func watchWAL() {
        sqlite3_wal_hook(
            handle,
            { context, _, _, frames in
                context?.assumingMemoryBound(to: Int32.self).pointee = frames
                return SQLITE_OK
            }, walFrames)
    }

    package func failure(_ operation: StaticString, _ code: Int32) -> StorageError {
        Self.failure(operation, code, on: handle)
    }

    /// SQLite's error of its last call. Its messages name tables and columns, never values.
    package static func failure(
        _ operation: StaticString, _ code: Int32, on handle: OpaquePointer?
    ) -> StorageError {
        let path = sqlite3_db_filename(handle, "main").map { String(cString: $0) } ?? ""
        let reason = String(cString: sqlite3_errmsg(handle))
        return switch code & 0xff {
        case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged(path: path, found: reason)
        case SQLITE_ERROR where !hasReadableSchema(handle): .damaged(path: path, found: reason)
        case SQLITE_BUSY:
            .lockedFor(path: path, milliseconds: busyTimeout)
        default:
            .database(
                operation: operation, path: path, code: code,
                reason: reason,
                errno: code & 0xff == SQLITE_IOERR || code & 0xff == SQLITE_CANTOPEN
                    ? sojourn_sqlite_errno(handle) : 0)
        }
    }

    /// False where SQLite gives its code for wrong statements to one that cannot be wrong: the header
    /// names a format of the schema that there is not, for which it has no code of its own.
    private static func hasReadableSchema(_ handle: OpaquePointer?) -> Bool {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        return sqlite3_prepare_v2(handle, "SELECT 1 FROM sqlite_schema", -1, &statement, nil) & 0xff
            != SQLITE_ERROR
    }
}
