import Glibc
import Query
import Reports
import Service
import Storage

/// The machine: disk, clock, limits.
extension Checkup {
    /// Free room below which a disk is nearly full, in bytes.
    static let littleRoom: UInt64 = 1 << 30
    /// Free room below which batches will be refused soon.
    static let noRoom: UInt64 = 16 << 20

    func machine() -> [CheckupResult] {
        var findings: [CheckupResult] = []
        var status = statvfs()
        if statvfs(directory.path, &status) == 0 {
            let room = UInt64(status.f_bavail).multipliedReportingOverflow(
                by: UInt64(status.f_frsize))
            findings.append(
                Self.disk(
                    room: room.overflow ? .max : room.partialValue,
                    isReadOnly: status.f_flag & UInt(ST_RDONLY) != 0, isRemote: isRemote))
        }
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            findings.append(
                Self.descriptors(
                    allowed: UInt64(limit.rlim_max),
                    wanted: UInt64(DescriptorLimit.wanted(for: settings.totalConnections))))
        }
        if let memory = Self.memory() {
            findings.append(
                Self.memory(
                    memory, bodies: settings.maxBufferedBytes, reports: settings.reportMemory,
                    answers: settings.maxAnswerBytes))
        }
        return findings
    }

    static func disk(room: UInt64, isReadOnly: Bool, isRemote: Bool) -> CheckupResult {
        let free = "\(room >> 20) MiB are free"
        if isReadOnly {
            return CheckupResult("disk", .broken, "it is mounted read-only: nothing can be stored")
        }
        if room < noRoom {
            return CheckupResult("disk", .broken, "\(free): batches get 507; make room")
        }
        if isRemote {
            return CheckupResult(
                "disk", .warning,
                "the data directory lies on another machine's disk, where neither locks nor syncs "
                    + "can be relied on; move it to a local one")
        }
        if room < littleRoom {
            return CheckupResult("disk", .warning, "only \(free); make room, or set retention")
        }
        return CheckupResult("disk", .ok, free)
    }

    /// As the server judges it (docs/operation.md, A clock that is vouched for).
    /// - Parameter waiting: settings that wait while nobody vouches for it
    static func clock(_ clock: ClockSummary, waiting: [String]) -> CheckupResult {
        let now = "it says \(Moment.text(clock.now))"
        if clock.now < BuildInfo.date {
            return CheckupResult(
                "clock", .broken,
                "\(now), which is before this program was made: batches get 503; set it")
        }
        let later = clock.newestArrival.flatMap { $0 > clock.now ? Moment.text($0) : nil }
        let found = later.map { "\(now), and a batch arrived at \($0)" } ?? now
        if !clock.isUsable {
            return CheckupResult(
                "clock", .broken,
                "\(found): batches get 503; set it, or say sojourn clock accept if it is right")
        }
        if let voucher = clock.voucher {
            return CheckupResult("clock", .ok, "\(found); it is vouched for by \(voucher.text)")
        }
        let advice = ClockVoucher.advice
        if let effects = ClockVoucher.effects(isDoubtful: clock.isDoubtful, waiting: waiting) {
            return CheckupResult(
                "clock", .warning, "\(found), and nobody vouches for it: \(effects); \(advice)")
        }
        return CheckupResult(
            "clock", later == nil ? .note : .warning,
            "\(found), and nobody vouches for it; \(advice)")
    }

    /// Whether tzdata has a file of each app's time zone.
    static func timeZones(_ apps: [App]) -> [CheckupResult] {
        let faults = apps.compactMap { QueryApp($0).timeZoneFault }
        guard !faults.isEmpty else {
            return [CheckupResult("time-zone", .ok, "tzdata has the time zones of all apps")]
        }
        return faults.map {
            CheckupResult("time-zone", .broken, "\($0); its reports are refused until then")
        }
    }

    static func descriptors(allowed: UInt64, wanted: UInt64) -> CheckupResult {
        guard allowed < wanted else {
            return CheckupResult(
                "descriptors", .ok, "\(wanted) are wanted, and allowed in this shell")
        }
        return CheckupResult(
            "descriptors", .warning,
            "\(wanted) are wanted for max-connections, and \(allowed) allowed in this shell; raise "
                + "the limit (LimitNOFILE= in systemd) or lower the setting")
    }

    /// What the settings let the server take, and a quarter for the rest (docs/operation.md, Settings).
    /// - Parameters:
    ///   - memory: bytes that there are
    ///   - bodies: `max-buffered-bytes`
    ///   - reports: `report-memory`, half of which is taken besides
    ///   - answers: `max-answer-bytes`
    static func memory(_ memory: UInt64, bodies: Int, reports: Int, answers: Int) -> CheckupResult {
        let wanted = [bodies, reports, reports / 2, answers].reduce(0) { sum, bytes in
            let (next, isTooMuch) = sum.addingReportingOverflow(bytes)
            return isTooMuch ? .max : next
        }
        let found =
            "max-buffered-bytes, report-memory and max-answer-bytes take up to "
            + "\(wanted >> 20) MiB, of \(memory >> 20) MiB of memory"
        guard UInt64(wanted) > memory / 4 * 3 else { return CheckupResult("memory", .ok, found) }
        return CheckupResult(
            "memory", .warning,
            "\(found): under load the system may end the server; lower the settings")
    }

    /// Bytes that this process may use: the machine's, or its group's where that is less.
    private static func memory() -> UInt64? {
        let pages = sysconf(Int32(_SC_PHYS_PAGES))
        let size = sysconf(Int32(_SC_PAGESIZE))
        guard pages > 0, size > 0 else { return nil }
        let machine = UInt64(pages).multipliedReportingOverflow(by: UInt64(size)).partialValue
        let group = (try? Files.contents(of: "/sys/fs/cgroup/memory.max")).flatMap { contents in
            contents.flatMap { UInt64(String(decoding: $0.filter { $0 != 10 }, as: UTF8.self)) }
        }
        return min(machine, group ?? machine)
    }

    /// Whether the directory lies on a network's file system.
    private var isRemote: Bool {
        var status = stat()
        guard stat(directory.path, &status) == 0,
            let mounts = try? Files.contents(of: "/proc/self/mountinfo", limit: Files.limit)
        else { return false }
        return Self.isRemote(device: status.st_dev, String(decoding: mounts, as: UTF8.self))
    }

    /// - Parameters:
    ///   - device: `st_dev` of a file
    ///   - mounts: what proc(5) calls mountinfo
    static func isRemote(device: UInt, _ mounts: String) -> Bool {
        // As the C library packs it: twelve bits of the major number, twenty of the minor.
        let major = device >> 8 & 0xfff
        let minor = device & 0xff | device >> 12 & 0xfff00
        return mounts.split(separator: "\n").contains { line in
            let words = line.split(separator: " ")
            guard words.count > 2, words[2] == "\(major):\(minor)",
                let dash = words.firstIndex(of: "-"), dash + 1 < words.count
            else { return false }
            return remoteTypes.contains(String(words[dash + 1]))
        }
    }

    private static let remoteTypes: Set<String> = [
        "nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "ceph", "glusterfs", "fuse.glusterfs",
        "fuse.sshfs", "fuse.s3fs",
    ]
}
