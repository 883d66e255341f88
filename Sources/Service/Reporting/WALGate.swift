import Dispatch
import Storage
import Synchronization

/// Where a report waits, before it begins to read, for the database's WAL to become short. What is read
/// holds the WAL: where reports always read, one after the other, it would only grow, and each commit
/// make the file longer. So they pause, all at the same time, until the writer has moved it.
final class WALGate: Sendable {
    private struct State {
        /// Reports that passed the gate.
        var readers = 0
        /// Until then nobody waits, by `uptimeNanoseconds`: others hold the WAL, such as a backup.
        var openUntil: UInt64 = 0
        /// One of each report before the gate: it looks again when that is signalled.
        var bells: [DispatchSemaphore] = []
    }

    /// For how many nanoseconds none waits after one did in vain.
    private static let openAfter: UInt64 = 30_000_000_000

    private let state = Mutex(State())
    /// How long one waits at most, in nanoseconds.
    private let patience: UInt64
    private let isLong: @Sendable () -> Bool
    private let shorten: @Sendable () -> Void

    /// - Parameters:
    ///   - patience: how long one waits at most, in nanoseconds
    ///   - isLong: whether the WAL is longer than it should be
    ///   - shorten: has it moved soon, as far as readers let it
    init(
        patience: UInt64 = 1_000_000_000,
        isLong: @escaping @Sendable () -> Bool = { false },
        shorten: @escaping @Sendable () -> Void = {}
    ) {
        self.patience = patience
        self.isLong = isLong
        self.shorten = shorten
    }

    /// Before reports on what a writer writes.
    convenience init(of writer: StoreWriter, patience: UInt64 = 1_000_000_000) {
        self.init(
            patience: patience, isLong: { writer.isWALLong }, shorten: { writer.shortenWAL() })
        writer.whenWALIsShort { [weak self] in self?.lookAgain() }
    }

    /// Goes in, after a wait where the WAL is long; each has to `leave` again.
    /// - Parameter isWanted: false ends the wait, once `lookAgain` was called
    func enter(while isWanted: () -> Bool) {
        let end = DispatchTime.now().uptimeNanoseconds + patience
        let bell = DispatchSemaphore(value: 0)
        // Before the first look: what changes after it rings.
        state.withLock { $0.bells.append(bell) }
        var isAsked = false
        while isWanted(), isLong() {
            let now = DispatchTime.now().uptimeNanoseconds
            let (isOpen, isEmpty) = state.withLock { state in
                if now >= end { state.openUntil = now + Self.openAfter }
                return (now < state.openUntil, state.readers == 0)
            }
            if isOpen {
                // The others need not wait for their own end.
                if now >= end { lookAgain() }
                break
            }
            // Once: while others hold it, each try would look at all of it.
            if isEmpty, !isAsked {
                shorten()
                isAsked = true
            }
            _ = bell.wait(timeout: DispatchTime(uptimeNanoseconds: end))
        }
        state.withLock { state in
            state.bells.removeAll { $0 === bell }
            state.readers += 1
        }
    }

    func leave() {
        state.withLock { $0.readers -= 1 }
        lookAgain()
    }

    /// Has those who wait look again: the WAL was moved, or one of them is not wanted any more.
    func lookAgain() {
        for bell in state.withLock({ $0.bells }) { bell.signal() }
    }
}
