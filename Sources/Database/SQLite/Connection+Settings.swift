import CSQLite

extension Connection {
    /// Size of the file's pages, in bytes: that of the disk's sectors and the kernel's pages.
    package static let pageSize = 4096

    /// What every connection is set to before it is used.
    func configure(_ mode: Mode, cacheBytes: Int) throws(StorageError) {
        // A word in double quotes is a name or an error, never a text by accident.
        sojourn_sqlite_db_config(handle, SQLITE_DBCONFIG_DQS_DDL, 0)
        sojourn_sqlite_db_config(handle, SQLITE_DBCONFIG_DQS_DML, 0)
        // Nothing that stands in the file can make SQLite do more than read and write it.
        sojourn_sqlite_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
        sojourn_sqlite_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        // Opening a damaged file changes nothing: closing moves nothing from the WAL to it. The
        // writer checkpoints itself before it closes.
        sojourn_sqlite_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        try execute("PRAGMA cache_size=-\(max(cacheBytes / 1024, 64))")
        try execute("PRAGMA mmap_size=0")
        switch mode {
        case .memory: break
        case .read: try execute("PRAGMA query_only=ON")
        case .write: try configureWriting()
        case .copy: try execute("PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF")
        }
    }

    private func configureWriting() throws(StorageError) {
        // A commit returns when the WAL is on disk, not when the kernel has it.
        try execute("PRAGMA synchronous=FULL")
        // References are checked by `verify`, not on each of a million rows: the writer takes every
        // code from the table in the same transaction.
        try execute("PRAGMA foreign_keys=OFF")
        // What an erasure deletes is overwritten.
        try execute("PRAGMA secure_delete=ON")
        // The WAL is cut back to this when a checkpoint has emptied it.
        try execute("PRAGMA journal_size_limit=\(64 << 20)")
        // The writer checkpoints after the answers have left; SQLite would do it before.
        try execute("PRAGMA wal_autocheckpoint=0")
        watchWAL()
    }

    /// What can be set only before the first table is made.
    package func configureNewFile() throws(StorageError) {
        try execute("PRAGMA page_size=\(Self.pageSize)")
        try execute("PRAGMA auto_vacuum=INCREMENTAL")
        try setJournalModeWAL()
    }

    /// Sets the journal mode to WAL. Throws where the file system cannot do it.
    package func setJournalModeWAL() throws(StorageError) {
        let mode = try prepare("PRAGMA journal_mode=WAL")
        guard try mode.step(), mode.text(0) == "wal" else {
            throw .database(
                operation: "keep a write-ahead log for", path: path, code: SQLITE_CANTOPEN,
                reason: "its file system may lack shared memory; use a local disk", errno: 0)
        }
    }

    /// The first column of the first row, nil without a row.
    package func integer(_ sql: String) throws(StorageError) -> Int64? {
        let statement = try prepare(sql)
        return try statement.step() ? statement.int(0) : nil
    }
}

extension Connection {
    /// After a truncating checkpoint: closing may then remove the empty WAL.
    package func removeWALOnClose() {
        sojourn_sqlite_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
    }
}
