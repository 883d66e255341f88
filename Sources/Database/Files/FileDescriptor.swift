import Glibc

/// An open file that closes when it goes.
package struct FileDescriptor: ~Copyable {
    private let number: Int32
    private let path: String

    init(_ number: Int32, path: String) {
        self.number = number
        self.path = path
    }

    deinit {
        // Never again on EINTR: Linux has closed it, and the number may be somebody else's by now.
        close(number)
    }

    /// Mode 0600 whatever the umask was.
    func makePrivate() throws(StorageError) {
        let (_, errno) = FileSystem.retrying { fchmod(number, FileSystem.privateFile) }
        guard errno == 0 else { throw .cannotCreate(path: path, errno: errno) }
    }

    /// Gives what root has made to whom the folder belongs that it lies in, as SQLite does with its own files: else
    /// the server, which runs as that user, could not open it. Where root may not, it stays root's.
    func followOwner(of folder: String) throws(StorageError) {
        guard geteuid() == 0, let above = try FileSystem.status(of: folder), above.st_uid != 0
        else {
            return
        }
        _ = FileSystem.retrying { fchown(number, above.st_uid, above.st_gid) }
    }

    /// What was opened, and how long it is.
    package func status() throws(StorageError) -> stat {
        var status = stat()
        let (_, errno) = FileSystem.retrying { fstat(number, &status) }
        guard errno == 0 else { throw .system(operation: "look at", path: path, errno: errno) }
        return status
    }

    /// The first bytes, at most `limit`.
    package func read(limit: Int) throws(StorageError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = try read(into: &bytes, at: 0)
        bytes.removeSubrange(count...)
        return bytes
    }

    /// Fills `bytes` from `offset` on.
    /// - Returns: how many were read; fewer than there is room for only at the file's end
    package func read(into bytes: inout [UInt8], at offset: Int) throws(StorageError) -> Int {
        let limit = bytes.count
        var count = 0
        while count < limit {
            let (got, errno) = bytes.withUnsafeMutableBytes { room in
                FileSystem.retrying {
                    pread(
                        number, room.baseAddress?.advanced(by: count), limit - count, offset + count
                    )
                }
            }
            guard got >= 0 else { throw .system(operation: "read", path: path, errno: errno) }
            if got == 0 { break }
            count += got
        }
        return count
    }

    /// Replaces the file's content.
    package func write(_ bytes: [UInt8]) throws(StorageError) {
        try write(bytes[...], at: 0)
        let (_, errno) = FileSystem.retrying { ftruncate(number, bytes.count) }
        guard errno == 0 else { throw .system(operation: "write", path: path, errno: errno) }
    }

    /// Replaces the file's content from `offset` on; the file ends after it.
    package func replace(_ bytes: [UInt8], from offset: Int) throws(StorageError) {
        try write(bytes[...], at: offset)
        let (_, errno) = FileSystem.retrying { ftruncate(number, offset + bytes.count) }
        guard errno == 0 else { throw .system(operation: "write", path: path, errno: errno) }
    }

    /// Writes from `offset` on.
    package func write(_ bytes: ArraySlice<UInt8>, at offset: Int) throws(StorageError) {
        var count = 0
        while count < bytes.count {
            let (put, errno) = bytes.withUnsafeBytes { room in
                FileSystem.retrying {
                    pwrite(
                        number, room.baseAddress?.advanced(by: count), bytes.count - count,
                        offset + count)
                }
            }
            guard put > 0 else { throw .system(operation: "write", path: path, errno: errno) }
            count += put
        }
    }

    /// What was written is on disk when this returns.
    package func sync() throws(StorageError) {
        let (_, errno) = FileSystem.retrying { fsync(number) }
        guard errno == 0 else { throw .system(operation: "sync", path: path, errno: errno) }
    }

    /// Takes the lock; false at once while another process holds it.
    package func lock() throws(StorageError) -> Bool {
        let (_, errno) = FileSystem.retrying { flock(number, LOCK_EX | LOCK_NB) }
        if errno == EWOULDBLOCK { return false }
        guard errno == 0 else { throw .system(operation: "lock", path: path, errno: errno) }
        return true
    }

    /// Gives the lock back even where a child process still has a copy of the descriptor.
    package func unlock() { _ = FileSystem.retrying { flock(number, LOCK_UN) } }
}
