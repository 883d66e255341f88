import Database
import Glibc
import Service
import Storage

/// Whether the database's log has become long, and who keeps it so.
extension Checkup {
    /// Bytes of the log at which the server moves it to the file.
    static let dueWAL = 4 << 20
    /// Bytes at which it is long.
    static let longWAL = 16 << 20

    func wal() -> CheckupResult {
        let bytes =
            ((try? FileSystem.status(of: directory.wal)) ?? nil).map { Int($0.st_size) } ?? 0
        guard bytes > Self.dueWAL else { return Self.wal(bytes: bytes, readers: []) }
        let processes = (try? directory.processesHoldingWAL()) ?? []
        return Self.wal(bytes: bytes, readers: processes.flatMap(readers))
    }

    /// - Parameter readers: who reads in a state of the database that is not its newest
    static func wal(bytes: Int, readers: [String]) -> CheckupResult {
        let found = "the database's log, sojourn.db-wal, has \(bytes >> 20) MiB"
        guard bytes > dueWAL, !readers.isEmpty else {
            return CheckupResult(
                "wal", .ok,
                bytes > longWAL
                    ? "\(found), and nobody holds it: the server empties it within a minute" : found
            )
        }
        return CheckupResult(
            "wal", bytes > longWAL ? .warning : .note,
            "\(found), and cannot be emptied while these read: \(readers.joined(separator: "; ")); it "
                + "shrinks by itself within a minute of their end")
    }

    /// What a process reads: of the server what it says itself.
    private func readers(in process: Int32) -> [String] {
        guard process == serverProcess, case .done(.readers(let readers))? = askedReaders,
            !readers.isEmpty
        else { return [ProcessName(process).description] }
        return readers.map { "the server's \($0.what), since \(Moment.text($0.since))" }
    }

    /// The id of the process that has the directory's lock, or had it last.
    private var serverProcess: Int32? {
        let text = try? FileSystem.openRegular(directory.lockFile).read(limit: 16)
        return text.flatMap { Int32(String(decoding: $0.prefix { $0 != 10 }, as: UTF8.self)) }
    }

    private var askedReaders: AdminAnswer? {
        (try? Administration(settings: settings).answer(.readers)) ?? nil
    }
}

/// A process as people recognise it: by its id, its program and its begin; never by its arguments, which may be ids
/// of devices.
private struct ProcessName: CustomStringConvertible {
    let description: String

    init(_ id: Int32) {
        var text = "process \(id)"
        if let program = Self.text("/proc/\(id)/comm")?.split(separator: "\n").first {
            text += " (\(program))"
        }
        if let begin = Self.begin(of: id) { text += ", which began at \(Moment.text(begin))" }
        description = text
    }

    /// Milliseconds since 1970.
    private static func begin(of id: Int32) -> Int64? {
        // After the name, which may hold spaces; the twentieth of these is the begin, in ticks since the system's.
        let words = text("/proc/\(id)/stat")?.split(separator: ")").last?.split(separator: " ")
        let boot = text("/proc/stat")?.split(separator: "\n").first { $0.hasPrefix("btime ") }
        let perSecond = Int64(sysconf(Int32(_SC_CLK_TCK)))
        guard let words, words.count > 19, let ticks = Int64(words[19]), perSecond > 0,
            let seconds = boot.flatMap({ Int64($0.dropFirst(6)) })
        else { return nil }
        return (seconds + ticks / perSecond) * 1000
    }

    private static func text(_ path: String) -> String? {
        ((try? Files.contents(of: path)) ?? nil).map { String(decoding: $0, as: UTF8.self) }
    }
}
