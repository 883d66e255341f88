import Client
import Synchronization

/// A clock that only waiting moves, and no chance.
package final class StillPace: Sendable {
    private let state = Mutex<(time: Int64, waits: [Int64])>((1_700_000_000_000, []))

    package init() {}

    package var waits: [Int64] { state.withLock { $0.waits } }
    package var pace: Pace {
        Pace(
            now: { self.state.withLock { $0.time } }, elapsed: { self.state.withLock { $0.time } },
            wait: { milliseconds in
                self.state.withLock {
                    $0.time += milliseconds
                    $0.waits.append(milliseconds)
                }
            },
            draw: { 0 })
    }
}
