import Dispatch
import Glibc
import Synchronization

/// Where a report waits, before it begins to read, for the database's log to become short. What is read
/// holds the log: where reports always read, one behind the other, it would only grow, and each commit make
/// the file longer. So they pause, all at the same time, until the writer has moved it.
final class LogGate: Sendable {
    private struct State {
        /// Reports behind the gate.
        var readers = 0
        /// Until then nobody waits, by `uptimeNanoseconds`: others hold the log, such as a backup.
        var openUntil: UInt64 = 0
    }

    /// How long one waits at most, in nanoseconds, and for how long nobody waits after one did in vain.
    private static let patience: UInt64 = 1_000_000_000
    private static let openAfter: UInt64 = 30_000_000_000
    /// Between two looks, in microseconds.
    private static let pause: useconds_t = 2_000

    private let state = Mutex(State())
    private let isLong: @Sendable () -> Bool
    private let shorten: @Sendable () -> Void

    /// - Parameters:
    ///   - isLong: whether the log is longer than it should be
    ///   - shorten: has it moved soon, as far as readers let it
    init(
        isLong: @escaping @Sendable () -> Bool = { false },
        shorten: @escaping @Sendable () -> Void = {}
    ) {
        self.isLong = isLong
        self.shorten = shorten
    }

    /// Goes in, after a wait where the log is long; each has to `leave` again.
    /// - Parameter isWanted: false ends the wait
    func enter(while isWanted: () -> Bool) {
        let end = DispatchTime.now().uptimeNanoseconds + Self.patience
        var isAsked = false
        while isWanted(), isLong() {
            let now = DispatchTime.now().uptimeNanoseconds
            let (isOpen, isEmpty) = state.withLock { state in
                if now >= end { state.openUntil = now + Self.openAfter }
                return (now < state.openUntil, state.readers == 0)
            }
            if isOpen { break }
            // Once: while others hold it, each try would look at all of it.
            if isEmpty, !isAsked {
                shorten()
                isAsked = true
            }
            usleep(Self.pause)
        }
        state.withLock { $0.readers += 1 }
    }

    func leave() { state.withLock { $0.readers -= 1 } }
}
