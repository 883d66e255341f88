import CSQLite
import Database

extension Connection {
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
