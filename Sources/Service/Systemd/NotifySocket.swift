import Glibc
import Logging
import Synchronization

/// Sends systemd the service's state: a datagram for each message, to the socket that `NOTIFY_SOCKET`
/// names (sd_notify(3)). Without that name it sends nothing.
final class NotifySocket: Sendable {
    /// How long the other side may have no room, in seconds: a manager that hangs holds nobody up.
    private static let patience = 5

    private let descriptor: Int32
    private let target: sockaddr_un
    private let length: socklen_t
    private let logger: Logging.Logger
    /// That a message was lost is said once.
    private let isSilent = Atomic<Bool>(false)

    /// - Parameter name: a path, or `@` and the name of an abstract socket; nil for none
    init(_ name: String?, _ logger: Logging.Logger) {
        var target = sockaddr_un()
        target.sun_family = sa_family_t(AF_UNIX)
        let room = MemoryLayout.size(ofValue: target.sun_path)
        let bytes = Array((name ?? "").utf8)
        // An abstract name begins with a zero byte and ends where the address ends.
        let isAbstract = bytes.first == UInt8(ascii: "@")
        let isUsable =
            (isAbstract || bytes.first == UInt8(ascii: "/")) && bytes.count > 1
            && bytes.count < room
        withUnsafeMutableBytes(of: &target.sun_path) { path in
            guard isUsable else { return }
            for (index, byte) in bytes.enumerated() { path[index] = byte }
            if isAbstract { path[0] = 0 }
        }
        let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
        self.target = target
        length = socklen_t(start + bytes.count + (isAbstract ? 0 : 1))
        self.logger = logger
        let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        descriptor = isUsable ? socket(AF_UNIX, kind, 0) : -1
        guard descriptor >= 0 else {
            if name != nil {
                logger.warning("cannot tell systemd anything: NOTIFY_SOCKET names no local socket")
            }
            return
        }
        var limit = timeval(tv_sec: Self.patience, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// From any thread. A failure to send is logged once and changes nothing else.
    func tell(_ states: ServiceState...) {
        guard descriptor >= 0 else { return }
        let bytes = Array(states.map(\.text).joined(separator: "\n").utf8)
        var number: Int32 = 0
        repeat {
            number = send(bytes)
        } while number == EINTR
        if number != 0, !isSilent.exchange(true, ordering: .relaxed) {
            let reason = String(cString: strerror(number)).lowercased()
            logger.warning("cannot tell systemd the service's state: \(reason)")
        }
    }

    /// 0, or `errno`.
    private func send(_ bytes: [UInt8]) -> Int32 {
        let sent = withUnsafePointer(to: target) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, length)
            }
        }
        return sent < 0 ? errno : 0
    }
}

/// The states that a service sends to systemd (sd_notify(3)).
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

    /// One assignment a line; a text of several lines would add others.
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
