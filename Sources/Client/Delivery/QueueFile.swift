import Glibc

/// The few things the queue does with files. Every call that a signal can interrupt is repeated.
enum QueueFile {
    /// Opens, and closes on exec.
    static func open(
        _ path: String, _ flags: Int32, action: String
    ) throws(QueueFailure) -> Int32 {
        try check(action, path) { Glibc.open(path, flags | O_CLOEXEC, 0o600) }
    }

    /// The whole file.
    static func read(_ path: String) throws(QueueFailure) -> [UInt8] {
        let file = try open(path, O_RDONLY, action: "read")
        defer { close(file) }
        var out: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = try piece.withUnsafeMutableBufferPointer { (room) throws(QueueFailure) in
                try check("read", path) { Glibc.read(file, room.baseAddress, room.count) }
            }
            guard count > 0 else { return out }
            out += piece[..<count]
        }
    }

    /// Writes a file that is there whole or not at all, whenever the power goes: a temporary one,
    /// synced, renamed, and the folder synced.
    static func write(
        _ bytes: [UInt8], as name: String, in folder: String
    ) throws(QueueFailure) {
        let temporary = "\(folder)/\(name).tmp"
        let final = "\(folder)/\(name)"
        let file = try open(temporary, O_WRONLY | O_CREAT | O_TRUNC, action: "write")
        do throws(QueueFailure) {
            defer { close(file) }
            var at = 0
            while at < bytes.count {
                at += try bytes.withUnsafeBufferPointer { (all) throws(QueueFailure) in
                    let rest = UnsafeBufferPointer(rebasing: all[at...])
                    return try check("write", temporary) {
                        Glibc.write(file, rest.baseAddress, rest.count)
                    }
                }
            }
            _ = try check("sync", temporary) { fsync(file) }
        } catch {
            unlink(temporary)
            throw error
        }
        try rename(temporary, final)
        try syncFolder(folder)
    }

    /// Gives a file another name in its folder.
    static func rename(_ old: String, _ new: String) throws(QueueFailure) {
        _ = try check("rename", old) { Glibc.rename(old, new) }
    }

    /// Removes a file. One that is not there is removed already.
    static func remove(_ path: String) throws(QueueFailure) {
        guard unlink(path) != 0, errno != ENOENT else { return }
        throw QueueFailure("remove", path, errno: errno)
    }

    /// Makes the folder, for its owner alone, unless it is there.
    static func makeFolder(_ path: String) throws(QueueFailure) {
        guard mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        throw QueueFailure("make the folder", path, errno: errno)
    }

    /// The names in a folder, in no order.
    static func names(in folder: String) throws(QueueFailure) -> [String] {
        guard let stream = opendir(folder) else {
            throw QueueFailure("list", folder, errno: errno)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        guard errno == 0 else { throw QueueFailure("list", folder, errno: errno) }
        return names
    }

    private static func syncFolder(_ path: String) throws(QueueFailure) {
        let folder = try open(path, O_RDONLY | O_DIRECTORY, action: "sync")
        defer { close(folder) }
        _ = try check("sync", path) { fsync(folder) }
    }

    private static func check<Result: SignedInteger>(
        _ action: String, _ path: String, _ call: () -> Result
    ) throws(QueueFailure) -> Result {
        while true {
            let result = call()
            if result >= 0 { return result }
            guard errno == EINTR else { throw QueueFailure(action, path, errno: errno) }
        }
    }
}
