import Synchronization

@testable import Client

/// A clock that only waiting moves, and no chance.
final class StillPace: Sendable {
    private let state = Mutex<(time: Int64, waits: [Int64])>((1_700_000_000_000, []))

    var waits: [Int64] { state.withLock { $0.waits } }
    var pace: Pace {
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
