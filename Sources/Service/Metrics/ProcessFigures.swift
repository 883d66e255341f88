import Glibc

/// The system's figures of this process, for `process_*`.
struct ProcessFigures {
    /// Seconds of processor time.
    var cpuSeconds: Double
    /// Bytes.
    var residentBytes: Int
    var virtualBytes: Int
    /// Seconds since 1970.
    var startedAt: Double

    /// From the text of `/proc/self/stat` (proc(5)); nil where it is not such a text.
    /// - Parameters:
    ///   - ticks: of a second
    ///   - pageBytes: bytes of a page
    ///   - bootedAt: seconds since 1970
    init?(stat: String, ticks: Double, pageBytes: Int, bootedAt: Double) {
        // The program's name may hold anything, spaces and parentheses too: the last one ends it.
        guard let end = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[stat.index(after: end)...].split(separator: " ")
        guard fields.count > 21, let user = Double(fields[11]), let system = Double(fields[12]),
            let start = Double(fields[19]), let size = Int(fields[20]),
            let pages = Int(fields[21])
        else { return nil }
        cpuSeconds = (user + system) / ticks
        residentBytes = pages &* pageBytes
        virtualBytes = size
        startedAt = bootedAt + start / ticks
    }

    /// Of this process, now; nil where the system does not provide them.
    static func now() -> ProcessFigures? {
        guard let text = ProcessFile.text("/proc/self/stat") else { return nil }
        return ProcessFigures(
            stat: text, ticks: Double(sysconf(Int32(_SC_CLK_TCK))),
            pageBytes: sysconf(Int32(_SC_PAGESIZE)), bootedAt: bootedAt)
    }

    /// Told apart from /proc/stat, which a sandbox may hide. Once: the two clocks drift.
    private static let bootedAt: Double = {
        func seconds(_ clock: clockid_t) -> Double {
            var time = timespec()
            clock_gettime(clock, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        return seconds(CLOCK_REALTIME) - seconds(CLOCK_BOOTTIME)
    }()
}

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

    /// How many descriptors this process has open; nil where the system does not provide it.
    static func openFiles() -> Int? {
        guard let folder = opendir("/proc/self/fd") else { return nil }
        defer { closedir(folder) }
        // `.`, `..` and the folder's own are no descriptors of the server's.
        var count = -3
        while readdir(folder) != nil { count += 1 }
        return count
    }

    /// How many it may have; nil where there is no limit.
    static func maxFiles() -> Int? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
            limit.rlim_cur != rlim_t.max
        else { return nil }
        return Int(clamping: limit.rlim_cur)
    }

    /// Bytes of a file; 0 where there is none.
    static func size(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}
