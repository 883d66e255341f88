import Synchronization
import Truth

/// What the workers of a run have in common.
final class Board: Sendable {
    private struct State {
        var progress = Progress()
        var failure: SimulationFailure?
        /// The number of the next device.
        var next = 0
        /// Lived by all devices together, ms.
        var lived: Int64 = 0
        /// What devices tell that a server cannot tell apart.
        var shared = ToldDevice(isShared: true, batches: [], events: [])
    }

    private let state = Mutex(State())
    private let devices: Int
    /// Of all devices together, ms.
    private let lifetime: Double
    private let progress: @Sendable (Progress) -> Void

    init(_ population: Population, progress: @escaping @Sendable (Progress) -> Void) {
        devices = population.devices
        lifetime =
            Double(population.period.end - population.period.start) * Double(population.devices)
        self.progress = progress
    }

    var hasFailed: Bool { state.withLock { $0.failure != nil } }

    /// The number of a device that nobody has had; nil where there is none.
    func nextDevice() -> Int? {
        state.withLock { state in
            guard state.next < devices else { return nil }
            defer { state.next += 1 }
            return state.next
        }
    }

    /// Something has happened: so many milliseconds more are lived, and `change` says the rest. It is told
    /// under the lock, so that numbers never go back.
    func note(lived: Int64, _ change: (inout Progress) -> Void) {
        state.withLock { state in
            state.lived += lived
            state.progress.share = min(Double(state.lived) / lifetime, 1)
            change(&state.progress)
            progress(state.progress)
        }
    }

    /// Adds what a device tells under an id that others have, too.
    func addShared(_ told: ToldDevice) {
        state.withLock { state in
            let first = state.shared.batches.count
            state.shared.batches += told.batches
            state.shared.events += told.events.map { event in
                var event = event
                event.batch += first
                return event
            }
        }
    }

    func fail(_ failure: SimulationFailure) {
        state.withLock { $0.failure = $0.failure ?? failure }
    }

    /// How it ended, and what devices with one id have told together.
    func result() throws(SimulationFailure) -> (Progress, shared: ToldDevice) {
        let state = state.withLock { $0 }
        if let failure = state.failure { throw failure }
        return (state.progress, state.shared)
    }
}
