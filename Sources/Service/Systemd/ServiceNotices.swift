import Dispatch
import Sockets

/// The messages to systemd in the course of the service's life (docs/operation.md, systemd).
final class ServiceNotices: Sendable {
    private enum Phase { case starting, serving, stopping }

    private let socket: NotifySocket
    /// All are sent on this queue, in order: the writer must not wait for a manager that hangs.
    private let queue = DispatchQueue(label: "sojourn.notices")
    /// Touched on the queue only.
    private nonisolated(unsafe) var phase = Phase.starting
    private nonisolated(unsafe) var listening = ""

    init(_ socket: NotifySocket) { self.socket = socket }

    /// What takes long before the listeners stand.
    func starting(_ text: String) { queue.sync { socket.tell(.status(text)) } }

    /// The listeners stand.
    func serving(at addresses: [String]) {
        let text = "listening on " + addresses.joined(separator: ", ")
        queue.sync {
            phase = .serving
            listening = text
            socket.tell(.ready, .status(text))
        }
    }

    /// Runs a reload; one that begins before the listeners are open, or after they are closed, is not
    /// reported.
    func reloading(_ reload: () -> Void) {
        let isServing = queue.sync { phase == .serving }
        if isServing { socket.tell(.reloading(at: Clock.system.monotonic() / 1000)) }
        reload()
        queue.sync { if isServing, phase == .serving { socket.tell(.ready) } }
    }

    /// Nothing can be stored. Does not wait.
    func failing(_ reason: String) {
        queue.async { [self] in
            if phase == .serving { socket.tell(.status("cannot store: \(reason)")) }
        }
    }

    /// Batches are stored again. Does not wait.
    func recovered() {
        queue.async { [self] in if phase == .serving { socket.tell(.status(listening)) } }
    }

    /// - Parameter reason: what asked for it
    func stopping(_ reason: String) {
        queue.sync {
            phase = .stopping
            socket.tell(.stopping, .status("stopping: \(reason)"))
        }
    }
}
