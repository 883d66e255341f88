import CSQLite
import Database

/// SQLite's index of the log, in memory that all processes share (https://www.sqlite.org/walformat.html, 2).
extension Connection {
    private enum Index {
        /// Octets of its first part.
        static let size: Int32 = 32_768
        /// Where it says, in 32 bits of this machine, how many frames have been moved to the file.
        static let moved = 96
        /// The lock of who moves frames.
        static let checkpointLock: Int32 = 1
    }

    /// Lets the next checkpoint move all of the log. The index counts frames that a passive one has moved
    /// before readers stopped it, but the file is synced when the last one has been: should that sync
    /// fail, the kernel may have dropped what was moved before, and a later checkpoint that moves the
    /// rest alone would cut the log for good.
    /// - Throws: `logHeld` while somebody else moves frames
    func forgetMovedFrames() throws(StorageError) {
        // The log is opened with the first look into the file.
        _ = try integer("PRAGMA schema_version")
        var file: UnsafeMutablePointer<sqlite3_file>?
        let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        guard code == SQLITE_OK, let file, let methods = file.pointee.pMethods?.pointee,
            let lock = methods.xShmLock, let map = methods.xShmMap
        else { throw failure("look at the log of", code) }
        var index: UnsafeMutableRawPointer?
        let mapped = map(file, 0, Index.size, 0, &index)
        guard mapped == SQLITE_OK else { throw failure("look at the log of", mapped) }
        guard let index else { return }
        let exclusive = SQLITE_SHM_EXCLUSIVE
        guard lock(file, Index.checkpointLock, 1, SQLITE_SHM_LOCK | exclusive) == SQLITE_OK else {
            throw .logHeld(path: path)
        }
        index.storeBytes(of: 0, toByteOffset: Index.moved, as: UInt32.self)
        _ = lock(file, Index.checkpointLock, 1, SQLITE_SHM_UNLOCK | exclusive)
    }
}
