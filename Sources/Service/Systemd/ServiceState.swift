/// What a service tells systemd about itself (sd_notify(3)).
enum ServiceState: Equatable {
    /// The listeners stand.
    case ready
    /// What it does, in a line for `systemctl status`.
    case status(String)
    /// Settings are found again; `ready` follows. Microseconds of the monotonic clock.
    case reloading(at: Int64)
    case stopping
    /// A sign of life.
    case watchdog

    /// One assignment a line; a text of several would say more than was meant.
    var text: String {
        switch self {
        case .ready: "READY=1"
        case .status(let text):
            "STATUS="
                + String(
                    String.UnicodeScalarView(
                        text.unicodeScalars.map { $0.value < 32 || $0.value == 127 ? " " : $0 }))
        case .reloading(let moment): "RELOADING=1\nMONOTONIC_USEC=\(moment)"
        case .stopping: "STOPPING=1"
        case .watchdog: "WATCHDOG=1"
        }
    }
}
