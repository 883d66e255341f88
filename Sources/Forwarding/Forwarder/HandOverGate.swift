import Dispatch
import Synchronization

/// Where reports wait until what was answered before them is handed over, and what wakes the forwarder up.
final class HandOverGate: Sendable {
    private struct State {
        /// Everything that was answered 200 before that moment is handed over; by `uptimeNanoseconds`.
        var handedTo: UInt64 = 0
        var waiting: [(moment: UInt64, bell: DispatchSemaphore)] = []
        var isUrged = false
        /// Somebody asks for a try at once, whatever failed before.
        var isCalled = false
        var isClosed = false
    }

    private let state = Mutex(State())
    private let bell = DispatchSemaphore(value: 0)

    /// Has the forwarder begin at once.
    func urge() {
        state.withLock { $0.isUrged = true }
        bell.signal()
    }

    /// Has the forwarder try at once, also where it waits after a failure.
    func call() {
        state.withLock { $0.isCalled = true }
        urge()
    }

    /// Whether somebody has called since it was asked last.
    func takeCall() -> Bool {
        state.withLock { state in
            defer { state.isCalled = false }
            return state.isCalled
        }
    }

    /// The forwarder is to end; nobody waits for it any more.
    func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for reader in waiting { reader.bell.signal() }
        bell.signal()
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Whether somebody waits; asked once before each unit.
    func takeUrge() -> Bool {
        state.withLock { state in
            defer { state.isUrged = false }
            return state.isUrged
        }
    }

    /// The forwarder waits, at most so many milliseconds, for somebody who urges it.
    func pause(_ milliseconds: Int64) {
        _ = bell.wait(timeout: .now() + .milliseconds(Int(clamping: milliseconds)))
    }

    /// Everything that was answered before a moment is handed over.
    /// - Parameter moment: by `uptimeNanoseconds`
    func handedOver(to moment: UInt64) {
        let ready = state.withLock { state in
            state.handedTo = moment
            let ready = state.waiting.filter { $0.moment <= moment }
            state.waiting.removeAll { $0.moment <= moment }
            return ready
        }
        for reader in ready { reader.bell.signal() }
    }

    /// Waits until everything that was answered before now is handed over.
    /// - Parameter patience: milliseconds at most
    func wait(patience: Int64) {
        let moment = DispatchTime.now().uptimeNanoseconds
        let own = DispatchSemaphore(value: 0)
        let mustWait = state.withLock { state in
            guard state.handedTo < moment, !state.isClosed else { return false }
            state.waiting.append((moment, own))
            state.isUrged = true
            return true
        }
        guard mustWait else { return }
        bell.signal()
        if own.wait(timeout: .now() + .milliseconds(Int(clamping: patience))) == .timedOut {
            state.withLock { $0.waiting.removeAll { $0.bell === own } }
        }
    }
}
