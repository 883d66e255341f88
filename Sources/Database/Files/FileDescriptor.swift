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

    /// The first octets, at most `limit`.
    package func read(limit: Int) throws(StorageError) -> [UInt8] {
        var octets = [UInt8](repeating: 0, count: limit)
        let count = try read(into: &octets, at: 0)
        octets.removeSubrange(count...)
        return octets
    }

    /// Fills `octets` with what stands from `place` on.
    /// - Returns: how many there were; fewer than there is room for only at the file's end.
    package func read(into octets: inout [UInt8], at place: Int) throws(StorageError) -> Int {
        let limit = octets.count
        var count = 0
        while count < limit {
            let (got, errno) = octets.withUnsafeMutableBytes { room in
                FileSystem.retrying {
                    pread(
                        number, room.baseAddress?.advanced(by: count), limit - count, place + count)
                }
            }
            guard got >= 0 else { throw .system(operation: "read", path: path, errno: errno) }
            if got == 0 { break }
            count += got
        }
        return count
    }

    /// Replaces what is in the file.
    package func write(_ octets: [UInt8]) throws(StorageError) {
        try write(octets[...], at: 0)
        let (_, errno) = FileSystem.retrying { ftruncate(number, octets.count) }
        guard errno == 0 else { throw .system(operation: "write", path: path, errno: errno) }
    }

    /// Replaces what is in the file from `place` on; it ends behind that.
    package func replace(_ octets: [UInt8], from place: Int) throws(StorageError) {
        try write(octets[...], at: place)
        let (_, errno) = FileSystem.retrying { ftruncate(number, place + octets.count) }
        guard errno == 0 else { throw .system(operation: "write", path: path, errno: errno) }
    }

    /// Writes from `place` on.
    package func write(_ octets: ArraySlice<UInt8>, at place: Int) throws(StorageError) {
        var count = 0
        while count < octets.count {
            let (put, errno) = octets.withUnsafeBytes { room in
                FileSystem.retrying {
                    pwrite(
                        number, room.baseAddress?.advanced(by: count), octets.count - count,
                        place + count)
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

    /// True once no other process holds the lock; false at once while one does.
    package func lock() throws(StorageError) -> Bool {
        let (_, errno) = FileSystem.retrying { flock(number, LOCK_EX | LOCK_NB) }
        if errno == EWOULDBLOCK { return false }
        guard errno == 0 else { throw .system(operation: "lock", path: path, errno: errno) }
        return true
    }

    /// Gives a lock back also where a process in the making still has a copy of the descriptor.
    package func unlock() { _ = FileSystem.retrying { flock(number, LOCK_UN) } }
}
