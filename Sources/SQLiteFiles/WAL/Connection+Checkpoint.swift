import CSQLite
import Database

extension Connection {
    /// How much of the WAL a checkpoint moves, and whether it waits.
    package enum Checkpoint: Sendable {
        /// Copies what it can without waiting for anyone.
        case passive
        /// Waits for readers, copies all frames, also those copied before, syncs, and empties the WAL.
        case truncate
    }

    /// Moves frames from the WAL to the file. True when the whole WAL was moved; a passive checkpoint
    /// that readers blocked returns false.
    /// - Parameter patience: how long a truncating checkpoint waits for readers, in milliseconds
    /// - Throws: `walHeld` where readers block a truncating checkpoint for longer
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
        if code & 0xff == SQLITE_BUSY, kind == .truncate { throw .walHeld(path: path) }
        guard code == SQLITE_OK else { throw failure("checkpoint", code) }
        return frames == moved
    }
}

extension Connection {
    /// Cuts a WAL to nothing, after a checkpoint that moved all its frames and before the next commit, which would begin
    /// it anew. Waits for nobody.
    /// - Returns: false where a reader still uses it
    package func cutMovedWAL() throws(StorageError) -> Bool {
        sqlite3_busy_timeout(handle, 0)
        defer { sqlite3_busy_timeout(handle, Self.busyTimeout) }
        let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        if code & 0xff == SQLITE_BUSY { return false }
        guard code == SQLITE_OK else { throw failure("checkpoint", code) }
        noteEmptyWAL()
        return true
    }
}

/// SQLite's WAL index, in memory that all processes share (https://www.sqlite.org/walformat.html, 2).
extension Connection {
    enum Index {
        /// Bytes of its first part.
        static let size: Int32 = 32_768
        /// Offset of the number of frames that have been moved to the file: 32 bits, native byte order.
        static let moved = 96
        /// Offset of the number of frames.
        static let frames = 16
        /// Offset of five readers' marks: up to which frame each reads, 32 bits.
        static let marks = 100
        static let markCount = 5
        /// The lock that a checkpointer holds.
        static let checkpointLock: Int32 = 1
        /// Of the bytes of its file that readers lock, one for each mark, the first.
        static let firstReaderLock = 123
    }

    /// Lets the next checkpoint move the whole WAL. The index counts frames that a passive checkpoint
    /// moved before readers stopped it, but the file is synced only after the last frame: should that
    /// sync fail, the kernel may have dropped what was moved before, and a later checkpoint that moves
    /// the rest alone would cut the WAL for good.
    /// - Throws: `walHeld` while another connection checkpoints
    func forgetMovedFrames() throws(StorageError) {
        guard let (file, index) = try mappedIndex() else { return }
        guard let lock = file.pointee.pMethods?.pointee.xShmLock else {
            throw failure("look at the log of", SQLITE_MISUSE)
        }
        let exclusive = SQLITE_SHM_EXCLUSIVE
        guard lock(file, Index.checkpointLock, 1, SQLITE_SHM_LOCK | exclusive) == SQLITE_OK else {
            throw .walHeld(path: path)
        }
        index.storeBytes(of: 0, toByteOffset: Index.moved, as: UInt32.self)
        _ = lock(file, Index.checkpointLock, 1, SQLITE_SHM_UNLOCK | exclusive)
    }

    /// The first part of the index where SQLite has it mapped, and the file that it belongs to; nil where there is none.
    /// To open and close the index's own file would take the locks of all connections of the process away (fcntl(2)).
    func mappedIndex() throws(StorageError) -> (
        file: UnsafeMutablePointer<sqlite3_file>, index: UnsafeMutableRawPointer
    )? {
        // SQLite opens the WAL when it first reads the file.
        _ = try integer("PRAGMA schema_version")
        var file: UnsafeMutablePointer<sqlite3_file>?
        let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        guard code == SQLITE_OK, let file, let map = file.pointee.pMethods?.pointee.xShmMap
        else { throw failure("look at the log of", code) }
        var index: UnsafeMutableRawPointer?
        let mapped = map(file, 0, Index.size, 0, &index)
        guard mapped == SQLITE_OK else { throw failure("look at the log of", mapped) }
        return index.map { (file, $0) }
    }
}
