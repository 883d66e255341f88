import Core

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// A journal's folder by the system's calls. No `stat` in any form: Apple wants a reason for it
/// (client.md §7).
struct FolderDisk: Disk {
    let path: String
    /// Called with a folder that was made, or found at the beginning.
    let protect: @Sendable (String) -> Void

    init(_ path: String, protect: @escaping @Sendable (String) -> Void) {
        self.path = path
        self.protect = protect
        if Self.exists(path) { protect(path) }
    }

    private func path(_ name: String) -> String { path + "/" + name }

    // MARK: The folder

    func makeFolder() throws(DiskFailure) {
        if Self.exists(path) { return }
        try Self.makeFolder(path)
        protect(path)
    }

    private static func makeFolder(_ path: String) throws(DiskFailure) {
        if exists(path) { return }
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            try makeFolder(String(path[..<slash]))
        }
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw failure("make the folder") }
    }

    func names() throws(DiskFailure) -> [String] {
        guard let folder = opendir(path) else { throw Self.failure("list the folder") }
        defer { closedir(folder) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(folder) else { break }
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        // A segment that is not listed would count as gone.
        guard errno == 0 else { throw Self.failure("list the folder") }
        return names
    }

    func exists(_ name: String) -> Bool { Self.exists(path(name)) }

    /// What cannot be reached now is not gone.
    private static func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0 || errno != ENOENT
    }

    // MARK: Locks, which end with the process

    func lockFolder() throws(DiskFailure) -> Int32 {
        let file = try Self.open(path, O_RDONLY, "open the folder")
        do throws(DiskFailure) {
            try Self.check("lock the folder") { flock(file, LOCK_EX) }
        } catch {
            close(file)
            throw error
        }
        return file
    }

    func lock(_ name: String) -> Int32? {
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW
        var file = Self.call { Self.open(path(name), flags) }
        // A link, a folder or a socket, which nobody can hold.
        if file < 0, [ELOOP, EISDIR, ENXIO, EOPNOTSUPP].contains(errno) {
            clear(name)
            file = Self.call { Self.open(path(name), flags) }
        }
        guard file >= 0 else { return nil }
        if Self.hold(file) { return file }
        close(file)
        return nil
    }

    /// Whether nobody else holds an open file; it is held until it is closed.
    private static func hold(_ file: Int32) -> Bool {
        call { flock(file, LOCK_EX | LOCK_NB) } == 0
    }

    // MARK: Whole files

    func content(_ name: String) throws(DiskFailure) -> [UInt8]? {
        let file = Self.call { Self.open(path(name), O_RDONLY) }
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw Self.failure("open a file")
        }
        defer { close(file) }
        return try Self.content(of: file)
    }

    func contentUnlessHeld(_ name: String) throws(DiskFailure) -> Held {
        let file: Int32
        do throws(DiskFailure) {
            file = try Self.open(path(name), O_RDONLY, "open a segment")
        } catch {
            // Not readable now; it may be at the next start.
            return .held
        }
        defer { close(file) }
        guard Self.hold(file) else { return .held }
        return .free(try Self.content(of: file))
    }

    /// Bytes of a file that are read. The ledger and a segment never have as many: the rest is somebody
    /// else's.
    private static let maxSize = 1 << 20

    /// All bytes of an open file, from its beginning; none of what is no file.
    private static func content(of file: Int32) throws(DiskFailure) -> [UInt8] {
        let size = min(size(file), maxSize)
        lseek(file, 0, SEEK_SET)
        var isFailed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, filled in
            guard let base = buffer.baseAddress else { return }
            while filled < size {
                let count = read(file, base + filled, size - filled)
                if count < 0, errno == EINTR { continue }
                if count < 0, errno != EISDIR { isFailed = true }
                if count <= 0 { return }
                filled += count
            }
        }
        if isFailed { throw failure("read") }
        return bytes
    }

    func replace(_ name: String, with bytes: [UInt8]) throws(DiskFailure) {
        let new = path(name + ".new")
        let flags = O_WRONLY | O_CREAT | O_EXCL
        var file = Self.call { Self.open(new, flags) }
        if file < 0, errno == EEXIST {
            // What a kill has left, or a link, through which a file elsewhere would be written.
            clear(name + ".new")
            file = Self.call { Self.open(new, flags) }
        }
        guard file >= 0 else { throw Self.failure("write a file") }
        do throws(DiskFailure) {
            try append(bytes, to: file)
            try sync(file)
        } catch {
            close(file)
            throw error
        }
        close(file)
        if Self.call({ rename(new, path(name)) }) != 0 {
            guard errno == EISDIR else { throw Self.failure("replace a file") }
            clear(name)
            try Self.check("replace a file") { rename(new, path(name)) }
        }
        let folder = try Self.open(path, O_RDONLY, "open the folder")
        defer { close(folder) }
        try sync(folder)
    }

    func remove(_ name: String) -> Bool { unlink(path(name)) == 0 || errno == ENOENT }

    /// Makes room for a file. A folder that lies there is none of ours: it is put aside, also where another
    /// one was before.
    private func clear(_ name: String) {
        guard !remove(name) else { return }
        let aside = path(name + ".folder")
        guard rename(path(name), aside) != 0 else { return }
        _ = rename(path(name), aside + "-" + String(UInt64.random(in: .min ... .max), radix: 16))
    }

    // MARK: A file that is appended to

    func create(_ name: String) throws(DiskFailure) -> Int32 {
        let file = try Self.open(
            path(name), O_WRONLY | O_CREAT | O_EXCL | O_APPEND, "create a segment")
        guard Self.hold(file) else {
            let failure = Self.failure("lock a segment")
            close(file)
            _ = remove(name)
            throw failure
        }
        return file
    }

    func append(_ bytes: [UInt8], to file: Int32) throws(DiskFailure) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                write(file, buffer.baseAddress.map { $0 + done }, buffer.count - done)
            }
            if count < 0, errno == EINTR { continue }
            if count == 0 { errno = ENOSPC }
            guard count > 0 else { throw Self.failure("write") }
            done += count
        }
    }

    func size(of file: Int32) -> Int { Self.size(file) }

    private static func size(_ file: Int32) -> Int { max(0, Int(lseek(file, 0, SEEK_END))) }

    func truncate(_ file: Int32, to size: Int) throws(DiskFailure) {
        try Self.check("truncate") { ftruncate(file, off_t(size)) }
    }

    func sync(_ file: Int32) throws(DiskFailure) {
        #if canImport(Darwin)
        // A volume that has no barrier has the usual sync.
        if fcntl(file, F_BARRIERFSYNC) == 0 { return }
        #endif
        try Self.check("sync") { fsync(file) }
    }

    func sync(_ name: String) throws(DiskFailure) {
        let file = try Self.open(path(name), O_RDONLY, "open a file")
        defer { close(file) }
        try sync(file)
    }

    func close(_ file: Int32) {
        #if canImport(Darwin)
        Darwin.close(file)
        #else
        _ = Glibc.close(file)
        #endif
    }
}

// MARK: Calls

extension FolderDisk {
    private static func failure(_ action: String) -> DiskFailure {
        DiskFailure("cannot \(action): \(String(cString: strerror(errno)))")
    }

    /// Runs a call until a signal no longer interrupts it.
    private static func call(_ body: () -> Int32) -> Int32 {
        while true {
            let result = body()
            if result >= 0 || errno != EINTR { return result }
        }
    }

    @discardableResult
    private static func check(_ action: String, _ body: () -> Int32) throws(DiskFailure) -> Int32 {
        let result = call(body)
        guard result >= 0 else { throw failure(action) }
        return result
    }

    private static func open(
        _ path: String, _ flags: Int32, _ action: String
    ) throws(DiskFailure) -> Int32 {
        try check(action) { open(path, flags) }
    }

    /// A pipe that lies where a file should is opened without waiting for its other end.
    private static func open(_ path: String, _ flags: Int32) -> Int32 {
        let flags = flags | O_CLOEXEC | O_NONBLOCK
        #if canImport(Darwin)
        return Darwin.open(path, flags, 0o600)
        #else
        return Glibc.open(path, flags, 0o600)
        #endif
    }
}
