import CSQLite

extension Connection {
    /// Pages of the file, in octets. Four kilobytes is what the disk's sectors and the kernel's pages have.
    static let pageSize = 4096

    /// What every connection is set to before it is used.
    func configure(_ mode: Mode, cacheBytes: Int) throws(StorageError) {
        // A word in double quotes is a name or an error, never a text by accident.
        sojourn_sqlite_db_config(handle, SQLITE_DBCONFIG_DQS_DDL, 0)
        sojourn_sqlite_db_config(handle, SQLITE_DBCONFIG_DQS_DML, 0)
        // Nothing that stands in the file can make SQLite do more than read and write it.
        sojourn_sqlite_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
        sojourn_sqlite_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        // Who opens a damaged file leaves it as it is: closing moves nothing from the log to it. The
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
        // A commit returns when the log is on disk, not when the kernel has it.
        try execute("PRAGMA synchronous=FULL")
        // References are checked by `verify`, not on each of a million rows: the writer takes every
        // code from the table in the same transaction.
        try execute("PRAGMA foreign_keys=OFF")
        // What an erasure deletes is overwritten.
        try execute("PRAGMA secure_delete=ON")
        // The log is cut back to this when a checkpoint has emptied it.
        try execute("PRAGMA journal_size_limit=\(64 << 20)")
        // The writer checkpoints after the answers have left; SQLite would do it before.
        try execute("PRAGMA wal_autocheckpoint=0")
        watchLog()
    }

    /// What can be set only before the first table is made.
    func configureNewFile() throws(StorageError) {
        try execute("PRAGMA page_size=\(Self.pageSize)")
        try execute("PRAGMA auto_vacuum=INCREMENTAL")
        try setWriteAheadLog()
    }

    /// Throws unless the database keeps a write-ahead log from now on.
    func setWriteAheadLog() throws(StorageError) {
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

    /// How much of the log is moved, and for whom it waits.
    package enum Checkpoint: Sendable {
        /// Copies what it can without waiting for anyone.
        case passive
        /// Waits for readers, copies all, also what was copied before, syncs, and cuts the log to nothing.
        case truncate
    }

    /// Moves frames from the log to the file. True when the whole log was moved; a passive one that
    /// readers held up returns false.
    /// - Parameter patience: for how long a truncating one waits for readers, in milliseconds.
    /// - Throws: `logHeld` where readers hold a truncating one up for longer.
    @discardableResult
    package func checkpoint(
        _ kind: Checkpoint, patience: Int32 = busyTimeout
    ) throws(StorageError) -> Bool {
        if kind == .truncate { try forgetMovedFrames() }
        var frames: Int32 = 0
        var moved: Int32 = 0
        let mode = kind == .passive ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_TRUNCATE
        sqlite3_busy_timeout(handle, patience)
        defer { sqlite3_busy_timeout(handle, Self.busyTimeout) }
        let code = sqlite3_wal_checkpoint_v2(handle, nil, mode, &frames, &moved)
        if code & 0xff == SQLITE_BUSY, kind == .truncate { throw .logHeld(path: path) }
        guard code == SQLITE_OK else { throw failure("checkpoint", code) }
        return frames == moved
    }
}

extension Connection {
    /// After a truncating checkpoint: closing may then remove the empty log.
    func removeLogOnClose() {
        sojourn_sqlite_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
    }
}
