import Dispatch
import Sockets
import Storage

/// Gives systemd a sign of life for as long as the process does its work (`WatchdogRounds` decides what
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

    convenience init(period: Int64, server: Server, writer: StoreWriter, notify: NotifySocket) {
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

/// When a sign of life is due and what has to answer before it is given. Pure: gets ticks and
/// answers.
///
/// A sign of life is due somewhat before each half of the period is over. It is given when every event
/// loop has turned since it was due, and not begun while the writer has got nothing done for a whole
/// period although batches or administrative work wait. So a process of which one part is stuck is
/// ended and started again, and one that is slow is not.
struct WatchdogRounds {
    /// Ticks in a period: what stood still and goes on is noticed after one of them.
    static let ticksInAPeriod = 8
    /// Of these, those after which a sign is due: one less than half, so that what the loops take for
    /// it makes it no later than half a period.
    static let ticksToASign = 3

    private let loops: Int
    private var ticks = 0
    /// Loops that have yet to turn; 0: no round has begun.
    private var awaited = 0
    private var hasEnded = false

    init(loops: Int) { self.loops = loops }

    /// - Parameter writerStands: somebody waits for the writer, and it has got nothing done for a period
    /// - Returns: true if every loop is to be called now
    mutating func tick(writerStands: Bool) -> Bool {
        ticks += 1
        guard ticks >= Self.ticksToASign, awaited == 0, !writerStands, !hasEnded else {
            return false
        }
        ticks = 0
        awaited = loops
        return true
    }

    /// A loop has turned.
    /// - Returns: true if it was the last one: the sign of life is to be given
    mutating func answer() -> Bool {
        awaited -= 1
        return awaited == 0 && !hasEnded
    }

    /// No sign of life is given any more.
    mutating func end() { hasEnded = true }
}
