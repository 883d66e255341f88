import Dispatch
import Synchronization

/// A dispatch source that reports once and then rests until it is armed again.
///
/// A source fires for as long as its descriptor is ready, and it must be resumed before it goes, or
/// its cancel handler is never called. It fires on its queue while the loop arms or cancels it: so
/// whether it rests is decided under a lock.
///
///     queue                    loop
///     fires                    cancel: rests? no
///     rests (too late: never cancelled)        ← without the lock
final class OneShotSource: Sendable {
    private enum State { case armed, resting, cancelled }

    // Sources may be used from any thread; Dispatch does not say so in types.
    nonisolated(unsafe) private let source: any DispatchSourceProtocol
    private let state = Mutex(State.armed)

    /// Arms `source`; `report` is called on its queue.
    init(_ source: any DispatchSourceProtocol, report: @escaping @Sendable () -> Void) {
        self.source = source
        // The handler holds this object; that ends when the source is cancelled, as each one is.
        source.setEventHandler {
            let reports = self.state.withLock { state in
                guard state == .armed else { return false }
                state = .resting
                self.source.suspend()
                return true
            }
            if reports { report() }
        }
        source.resume()
    }

    /// Has it report once more.
    func rearm() {
        state.withLock { state in
            guard state == .resting else { return }
            state = .armed
            source.resume()
        }
    }

    /// Ends it; `group` is left when it has let go of its descriptor.
    func cancel(_ group: DispatchGroup) {
        group.enter()
        source.setCancelHandler { group.leave() }
        state.withLock { state in
            source.cancel()
            if state == .resting { source.resume() }
            state = .cancelled
        }
    }
}
