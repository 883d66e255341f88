import Sockets
import Synchronization

/// What systemd is told in the course of the service's life, and when (docs/operation.md, systemd).
final class ServiceNotices: Sendable {
    private enum Phase { case starting, serving, stopping }

    private let socket: NotifySocket
    private let phase = Mutex((phase: Phase.starting, listening: ""))

    init(_ socket: NotifySocket) { self.socket = socket }

    /// The listeners stand.
    func serving(at addresses: [String]) {
        let text = "listening on " + addresses.joined(separator: ", ")
        phase.withLock { current in
            current = (.serving, text)
            socket.tell(.ready, .status(text))
        }
    }

    /// Runs a reload; what begins before the listeners stand, or after they are closed, is not told.
    func reloading(_ reload: () -> Void) {
        let isServing = phase.withLock { $0.phase == .serving }
        if isServing { socket.tell(.reloading(at: Clock.system.monotonic() / 1000)) }
        reload()
        phase.withLock { if isServing, $0.phase == .serving { socket.tell(.ready) } }
    }

    /// Nothing can be stored.
    func failing(_ reason: String) {
        phase.withLock {
            if $0.phase == .serving { socket.tell(.status("cannot store: \(reason)")) }
        }
    }

    func recovered() {
        phase.withLock { if $0.phase == .serving { socket.tell(.status($0.listening)) } }
    }

    /// - Parameter reason: what asked for it
    func stopping(_ reason: String) {
        phase.withLock { current in
            current.phase = .stopping
            socket.tell(.stopping, .status("stopping: \(reason)"))
        }
    }
}
