#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// A call that failed, as one line of a log: what was done and the system's reason. Names are of the
/// client's own files.
struct FileFailure: Error, CustomStringConvertible {
    let action: String
    let code: Int32

    var description: String { "cannot \(action): \(String(cString: strerror(code)))" }
}

/// The system's calls for files. No `stat` in any form: Apple wants a reason for it (client.md §7).
enum Files {
    /// Runs a call until a signal no longer interrupts it.
    @discardableResult
    private static func check(_ action: String, _ call: () -> Int32) throws(FileFailure) -> Int32 {
        while true {
            let result = call()
            guard result < 0 else { return result }
            guard errno == EINTR else { throw FileFailure(action: action, code: errno) }
        }
    }

    /// Opens a file for appending that must not be there yet.
    static func create(_ path: String) throws(FileFailure) -> Int32 {
        try check("create a segment") {
            open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o600)
        }
    }

    /// Opens a file for reading, or a folder.
    static func read(_ path: String) throws(FileFailure) -> Int32 {
        try check("open a file") { open(path, O_RDONLY | O_CLOEXEC) }
    }

    /// Opens a file for locking, made if it is not there.
    static func lockFile(_ path: String) throws(FileFailure) -> Int32 {
        try check("open the lock") { open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }
    }

    /// Writes all bytes.
    static func write(_ bytes: [UInt8], to file: Int32) throws(FileFailure) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                #if canImport(Darwin)
                Darwin.write(file, buffer.baseAddress.map { $0 + done }, buffer.count - done)
                #else
                Glibc.write(file, buffer.baseAddress.map { $0 + done }, buffer.count - done)
                #endif
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw FileFailure(action: "write", code: count < 0 ? errno : ENOSPC)
            }
            done += count
        }
    }

    /// All bytes of a file; nil where it is not there.
    static func content(_ path: String) throws(FileFailure) -> [UInt8]? {
        let file: Int32
        do throws(FileFailure) {
            file = try read(path)
        } catch {
            if error.code == ENOENT { return nil }
            throw error
        }
        defer { close(file) }
        return try content(of: file)
    }

    /// All bytes of an open file, from its beginning.
    static func content(of file: Int32) throws(FileFailure) -> [UInt8] {
        let size = size(file)
        lseek(file, 0, SEEK_SET)
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, filled in
            guard let base = buffer.baseAddress else { return }
            while filled < size {
                #if canImport(Darwin)
                let count = Darwin.read(file, base + filled, size - filled)
                #else
                let count = Glibc.read(file, base + filled, size - filled)
                #endif
                if count < 0, errno == EINTR { continue }
                if count < 0 { failure = errno }
                if count <= 0 { return }
                filled += count
            }
        }
        guard failure == 0 else { throw FileFailure(action: "read", code: failure) }
        return bytes
    }

    /// Bytes of an open file that is appended to.
    static func size(_ file: Int32) -> Int { max(0, Int(lseek(file, 0, SEEK_END))) }

    /// What was written to a file is on the disk before what comes later.
    static func sync(_ file: Int32) throws(FileFailure) {
        #if canImport(Darwin)
        // A volume that has no barrier has the usual sync.
        if fcntl(file, F_BARRIERFSYNC) == 0 { return }
        #endif
        try check("sync") { fsync(file) }
    }

    /// Cuts a file back to a size.
    static func truncate(_ file: Int32, to size: Int) throws(FileFailure) {
        try check("truncate") { ftruncate(file, off_t(size)) }
    }

    /// Replaces a file whole: written beside it, synced, renamed. Where it throws, the old one stands.
    static func replace(_ path: String, with bytes: [UInt8]) throws(FileFailure) {
        let new = path + ".new"
        let file = try check("write the ledger") {
            open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        }
        do throws(FileFailure) {
            try write(bytes, to: file)
            try sync(file)
        } catch {
            close(file)
            throw error
        }
        close(file)
        try check("replace the ledger") { rename(new, path) }
    }

    /// Removes a file; one that is not there is removed.
    /// - Returns: whether it is gone.
    static func remove(_ path: String) -> Bool { unlink(path) == 0 || errno == ENOENT }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Makes a folder and those above it.
    static func makeFolder(_ path: String) throws(FileFailure) {
        if exists(path) { return }
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            try makeFolder(String(path[..<slash]))
        }
        if mkdir(path, 0o700) != 0, errno != EEXIST {
            throw FileFailure(action: "make the folder", code: errno)
        }
    }

    /// Names in a folder.
    static func names(_ path: String) throws(FileFailure) -> [String] {
        guard let folder = opendir(path) else {
            throw FileFailure(action: "list the folder", code: errno)
        }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names
    }

    /// Locks an open file or folder until it is closed.
    ///
    /// - Parameter isWaiting: Whether to wait for another process that has the lock.
    static func lock(_ file: Int32, isWaiting: Bool) throws(FileFailure) {
        try check("lock") { flock(file, isWaiting ? LOCK_EX : LOCK_EX | LOCK_NB) }
    }
}
