import Foundation

/// `sojourn serve` with descriptors that were handed over, as systemd does it: from 3 on, with the
/// process's own id in `LISTEN_PID`.
final class ActivatedServer {
    private var process: pid_t = 0
    private let log: String

    /// - Parameter names: of the descriptors, as their units give them
    init(
        _ data: String, _ settings: [String], listeners: [HeldListener], names: [String]
    ) throws {
        log = data + "-log-\(UUID().uuidString)"
        var environment = BuiltProgram.environment
        environment["LISTEN_FDS"] = String(listeners.count)
        environment["LISTEN_FDNAMES"] = names.joined(separator: ":")
        // Only what execs itself knows its id before it is the program.
        let arguments =
            ["/bin/sh", "-c", "LISTEN_PID=$$ exec \"$@\"", "sh", BuiltProgram.url.path, "serve"]
            + ["--data", data] + settings
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // Numbers that no later one overwrites.
        let spare = listeners.map { fcntl($0.descriptor, F_DUPFD_CLOEXEC, 100) }
        defer { for descriptor in spare { close(descriptor) } }
        for (place, descriptor) in spare.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(3 + place))
        }
        posix_spawn_file_actions_addopen(&actions, 2, log, O_WRONLY | O_CREAT, 0o600)
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] =
            environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + variables { free(text) } }
        let result = posix_spawn(&process, "/bin/sh", &actions, nil, &words, &variables)
        guard result == 0 else { throw Failure(text: "cannot start: \(result)") }
    }

    deinit {
        if process > 0 { _ = end(SIGKILL) }
        unlink(log)
    }

    /// What it has logged.
    var errors: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }

    /// Sends a signal and waits for the end; the exit code, or minus the signal.
    func end(_ signal: Int32) -> Int32 {
        kill(process, signal)
        return wait()
    }

    /// Waits for the end.
    func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        process = 0
        return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
    }
}
