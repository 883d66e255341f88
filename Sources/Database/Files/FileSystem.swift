import Glibc

/// The system calls on files that the stores make: each retries `EINTR` and turns `errno` into an
/// error with the path in it.
package enum FileSystem {
    static let privateFile: mode_t = 0o600
    static let privateDirectory: mode_t = 0o700

    /// Repeats a call until it is not interrupted. Returns its result, or `errno`.
    package static func retrying<T: SignedInteger>(_ call: () -> T) -> (result: T, errno: Int32) {
        while true {
            let result = call()
            if result != -1 { return (result, 0) }
            if errno != EINTR { return (result, errno) }
        }
    }

    /// Nil where there is no file of that name.
    package static func status(of path: String) throws(StorageError) -> stat? {
        var status = stat()
        let (result, errno) = retrying { stat(path, &status) }
        if result == 0 { return status }
        if errno == ENOENT || errno == ENOTDIR { return nil }
        throw .system(operation: "look at", path: path, errno: errno)
    }

    /// What has a name, be it a link that points nowhere (lstat(2)); nil where nothing has it.
    package static func entry(at path: String) throws(StorageError) -> stat? {
        var status = stat()
        let (result, errno) = retrying { lstat(path, &status) }
        if result == 0 { return status }
        if errno == ENOENT || errno == ENOTDIR { return nil }
        throw .system(operation: "look at", path: path, errno: errno)
    }

    /// A file of its own with exactly mode 0600, whatever the umask; one that root makes is the folder's owner's.
    /// Throws `EEXIST` as `alreadyThere`.
    package static func create(_ path: String) throws(StorageError) -> FileDescriptor {
        let (result, errno) = retrying {
            Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, privateFile)
        }
        if errno == EEXIST { throw .alreadyThere(path: path) }
        guard result >= 0 else { throw .cannotCreate(path: path, errno: errno) }
        let file = FileDescriptor(result, path: path)
        try file.makePrivate()
        try file.followOwner(of: parent(of: path))
        return file
    }

    package static func open(_ path: String, _ flags: Int32) throws(StorageError) -> FileDescriptor
    {
        let (result, errno) = retrying { Glibc.open(path, flags | O_CLOEXEC) }
        guard result >= 0 else { throw .system(operation: "open", path: path, errno: errno) }
        return FileDescriptor(result, path: path)
    }

    /// Opens a regular file for reading, without waiting. Its kind is checked before it is opened, and once more
    /// afterwards, since another file may have taken its place.
    /// - Throws: `notRegular`, and why it cannot be opened.
    package static func openRegular(_ path: String) throws(StorageError) -> FileDescriptor {
        if let there = try status(of: path) { try FileKind(there).requireRegular(path) }
        let file = try open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
        try FileKind(file.status()).requireRegular(path)
        return file
    }

    /// A directory with exactly mode 0700, with its parents (whose mode is the umask's affair); what root makes is
    /// the owner's of what it lies in. One that is there keeps its mode: `doctor` looks at it.
    package static func makeDirectory(_ path: String) throws(StorageError) {
        if let there = try status(of: path) {
            guard there.st_mode & S_IFMT == S_IFDIR else {
                throw .cannotCreate(path: path, errno: ENOTDIR)
            }
            return
        }
        let above = parent(of: path)
        if above != path, try status(of: above) == nil { try makeParent(above) }
        let (_, errno) = retrying { mkdir(path, privateDirectory) }
        // Another process may have made it meanwhile.
        if errno == EEXIST { return }
        guard errno == 0 else { throw .cannotCreate(path: path, errno: errno) }
        let (_, refused) = retrying { chmod(path, privateDirectory) }
        guard refused == 0 else { throw .cannotCreate(path: path, errno: refused) }
        try followOwner(path, of: above)
        try syncDirectory(above)
    }

    /// Of a directory that has just been made, not of what somebody may have put in its place.
    private static func followOwner(
        _ path: String, of folder: String
    ) throws(StorageError) {
        guard geteuid() == 0 else { return }
        try open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).followOwner(of: folder)
    }

    private static func makeParent(_ path: String) throws(StorageError) {
        let above = parent(of: path)
        if above != path, try status(of: above) == nil { try makeParent(above) }
        let (_, errno) = retrying { mkdir(path, 0o755) }
        if errno == EEXIST { return }
        guard errno == 0 else { throw .cannotCreate(path: path, errno: errno) }
        try followOwner(path, of: above)
    }

    /// Names in the directory are on disk when this returns.
    package static func syncDirectory(_ path: String) throws(StorageError) {
        try open(path, O_RDONLY | O_DIRECTORY).sync()
    }

    package static func rename(_ old: String, to new: String) throws(StorageError) {
        let (_, errno) = retrying { Glibc.rename(old, new) }
        guard errno == 0 else { throw .cannotCreate(path: new, errno: errno) }
    }

    /// A second name for a file. False if there is one of that name already.
    package static func link(_ old: String, as new: String) throws(StorageError) -> Bool {
        let (_, errno) = retrying { Glibc.link(old, new) }
        if errno == EEXIST { return false }
        guard errno == 0 else { throw .cannotCreate(path: new, errno: errno) }
        return true
    }

    /// Removes a name; a missing one is no error.
    package static func remove(_ path: String) throws(StorageError) {
        let (_, errno) = retrying { unlink(path) }
        guard errno == 0 || errno == ENOENT else {
            throw .system(operation: "remove", path: path, errno: errno)
        }
    }

    /// Removes a directory; one that is not empty stays.
    package static func removeDirectory(_ path: String) throws(StorageError) {
        let (_, errno) = retrying { rmdir(path) }
        guard errno == 0 || errno == ENOENT || errno == ENOTEMPTY || errno == EEXIST else {
            throw .system(operation: "remove", path: path, errno: errno)
        }
    }

    /// Whether there is nothing in a directory.
    package static func isEmpty(_ path: String) throws(StorageError) -> Bool {
        guard let directory = opendir(path) else {
            throw .system(operation: "look at", path: path, errno: errno)
        }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { return false }
        }
        return true
    }

    /// Bytes that this process may still write where `path` lies; nil where the system call fails.
    package static func room(at path: String) -> UInt64? {
        var status = statvfs()
        guard retrying({ statvfs(path, &status) }).result == 0 else { return nil }
        let (bytes, isMore) = UInt64(status.f_bavail).multipliedReportingOverflow(
            by: UInt64(status.f_frsize))
        return isMore ? .max : bytes
    }

    /// Whether what lies at `path` is on a file system that is mounted read-only; false where the system
    /// call fails.
    package static func isReadOnly(_ path: String) -> Bool {
        var status = statvfs()
        guard retrying({ statvfs(path, &status) }).result == 0 else { return false }
        return status.f_flag & UInt(ST_RDONLY) != 0
    }

    /// Whether a name lies below a directory or is its own. The path need not exist.
    package static func lies(_ path: String, within directory: String) -> Bool {
        guard let outer = resolved(directory) else { return false }
        var inner = path
        while resolved(inner) == nil, parent(of: inner) != inner { inner = parent(of: inner) }
        guard let found = resolved(inner) else { return false }
        return found == outer || found.utf8.starts(with: (outer + "/").utf8)
    }

    /// Without symbolic links; nil where there is nothing of that name.
    package static func resolved(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }

    /// `.` for a bare name, `/` for the root's own.
    package static func parent(of path: String) -> String {
        var bytes = path.utf8[...]
        while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        let above = bytes[..<slash]
        return above.isEmpty ? "/" : String(Substring(above))
    }
}
