import Dispatch
import Sockets
import Synchronization

/// What systemd is told in the course of the service's life, and when (docs/operation.md, systemd).
final class ServiceNotices: Sendable {
    private enum Phase { case starting, serving, stopping }

    private let socket: NotifySocket
    /// What the writer has to say waits here: it must not wait for a manager that hangs.
    private let queue = DispatchQueue(label: "sojourn.notices")
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
        tellWhileServing { _ in "cannot store: \(reason)" }
    }

    func recovered() {
        tellWhileServing { $0 }
    }

    private func tellWhileServing(_ status: @escaping @Sendable (_ listening: String) -> String) {
        queue.async { [self] in
            phase.withLock {
                if $0.phase == .serving { socket.tell(.status(status($0.listening))) }
            }
        }
    }

    /// - Parameter reason: what asked for it
    func stopping(_ reason: String) {
        phase.withLock { current in
            current.phase = .stopping
            socket.tell(.stopping, .status("stopping: \(reason)"))
        }
    }
}
