import Glibc

/// Small files and folders that the system makes up when they are read.
enum ProcessFile {
    /// At most 4 KiB of a file; nil where it cannot be read.
    static func text(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var room = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &room, room.count)
        return count > 0 ? String(decoding: room[..<count], as: UTF8.self) : nil
    }

    /// How many descriptors this process has open; nil where the system does not tell.
    static func openFiles() -> Int? {
        guard let folder = opendir("/proc/self/fd") else { return nil }
        defer { closedir(folder) }
        // `.`, `..` and the folder's own are no descriptors of the server's.
        var count = -3
        while readdir(folder) != nil { count += 1 }
        return count
    }

    /// How many it may have; nil where there is no limit.
    static func mostFiles() -> Int? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
            limit.rlim_cur != rlim_t.max
        else { return nil }
        return Int(clamping: limit.rlim_cur)
    }

    /// Octets of a file; 0 where there is none.
    static func size(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}
