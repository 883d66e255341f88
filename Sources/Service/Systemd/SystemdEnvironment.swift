import Glibc

/// What systemd passes to a service in its environment (sd_notify(3), sd_watchdog_enabled(3),
/// sd_listen_fds(3)).
struct SystemdEnvironment: Equatable {
    /// A descriptor that was handed over, and the name that its unit gives it (`FileDescriptorName=`).
    struct Socket: Equatable {
        let descriptor: Int32
        let name: String
    }

    /// Every variable that is meant for this process and for no child of it.
    private static let variables = [
        "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC", "LISTEN_PID", "LISTEN_PIDFDID",
        "LISTEN_FDS", "LISTEN_FDNAMES",
    ]
    /// The first descriptor that is handed over (`SD_LISTEN_FDS_START`).
    private static let firstDescriptor: Int32 = 3
    /// More descriptors than anybody hands over.
    private static let maxDescriptors: Int32 = 1024

    /// Where notifications go; nil: nowhere.
    let notifySocket: String?
    /// How long systemd waits for a sign of life, nanoseconds; nil: it waits for none.
    let watchdogPeriod: Int64?
    let sockets: [Socket]

    /// - Parameter process: the id of this process: what is meant for another one does not count
    /// - Throws: `AdminFailure` where a variable that is meant for this process makes no sense
    init(_ variables: [String: String], process: Int32) throws(AdminFailure) {
        notifySocket = variables["NOTIFY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
        let isWatched = variables["WATCHDOG_PID"].map { $0 == String(process) } ?? true
        if isWatched, let text = variables["WATCHDOG_USEC"] {
            guard let microseconds = Int64(text), microseconds > 0,
                case let (period, overflow) = microseconds.multipliedReportingOverflow(by: 1000),
                !overflow
            else { throw Self.malformed("WATCHDOG_USEC", "a number of microseconds") }
            watchdogPeriod = period
        } else {
            watchdogPeriod = nil
        }
        guard variables["LISTEN_PID"] == String(process), let text = variables["LISTEN_FDS"] else {
            sockets = []
            return
        }
        guard let count = Int32(text), (0...Self.maxDescriptors).contains(count) else {
            throw Self.malformed("LISTEN_FDS", "a number of descriptors")
        }
        var names: [String]?
        if let text = variables["LISTEN_FDNAMES"] {
            let texts = text.split(separator: ":", omittingEmptySubsequences: false).map(
                String.init)
            guard texts.count == count else {
                throw Self.malformed("LISTEN_FDNAMES", "a name for each of LISTEN_FDS")
            }
            names = texts
        }
        sockets = (0..<count).map {
            Socket(descriptor: Self.firstDescriptor + $0, name: names?[Int($0)] ?? "unknown")
        }
    }

    /// Reads the variables and removes them, so that no child takes them for its own. To be called
    /// before the process has a second thread.
    static func take() throws(AdminFailure) -> SystemdEnvironment {
        var found: [String: String] = [:]
        for name in variables {
            if let value = getenv(name) { found[name] = String(cString: value) }
            unsetenv(name)
        }
        return try SystemdEnvironment(found, process: getpid())
    }

    private static func malformed(_ name: String, _ expectation: String) -> AdminFailure {
        AdminFailure(
            .configuration,
            "cannot use environment variable \(name): it is not \(expectation); it is for systemd to set"
        )
    }
}
