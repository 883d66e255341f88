import Dispatch
import Sockets
import Storage

/// Gives systemd a sign of life for as long as the process does its work (`WatchdogRounds` says what
/// that is). It has a thread of its own, which a busy pool does not hold up.
final class Watchdog {
    private let timer: any DispatchSourceTimer
    private let end: () -> Void

    /// - Parameters:
    ///   - period: how long systemd waits for a sign, nanoseconds
    ///   - loops: how many answers a round takes
    ///   - callLoops: has each loop call what it is given, once it turns
    ///   - stall: for how long the writer has owed answers, nanoseconds
    ///   - sign: gives the sign
    init(
        period: Int64, loops: Int,
        callLoops: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        stall: @escaping @Sendable () -> UInt64, sign: @escaping @Sendable () -> Void
    ) {
        let queue = DispatchQueue(label: "sojourn.watchdog")
        // Touched on the queue alone.
        nonisolated(unsafe) var rounds = WatchdogRounds(loops: loops)
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let tick = max(1_000_000, period / Int64(WatchdogRounds.ticksInAPeriod))
        timer.schedule(
            deadline: .now(), repeating: .nanoseconds(Int(clamping: tick)))
        timer.setEventHandler {
            guard rounds.tick(writerStands: stall() >= UInt64(clamping: period)) else { return }
            callLoops { queue.async { if rounds.answer() { sign() } } }
        }
        timer.activate()
        self.timer = timer
        end = { queue.sync { rounds.end() } }
    }

    convenience init(period: Int64, server: Server, writer: Writer, notify: NotifySocket) {
        self.init(
            period: period, loops: server.loops, callLoops: { server.callOnLoops($0) },
            stall: { writer.stall }, sign: { notify.tell(.watchdog) })
    }

    /// No sign follows, not even one that was on its way. Blocks until that is so.
    func stop() {
        timer.cancel()
        end()
    }

    deinit { timer.cancel() }
}
