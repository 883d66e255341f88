import Synchronization

/// So many events a second and no more, for all workers together.
final class RateLimit: Sendable {
    /// Milliseconds by which it may have fallen behind before what was missed is given up.
    private static let burst = 500.0

    /// Milliseconds for an event.
    private let pause: Double
    /// When the next batch may go, ms.
    private let next = Mutex(0.0)

    /// - Parameter rate: Events a second, above 0.
    init(rate: Double) { pause = 1_000 / rate }

    /// Takes the next turn for a batch.
    ///
    /// - Parameter now: Milliseconds of the clock that is never set.
    /// - Returns: when it may go, on the same clock.
    func reserve(_ events: Int, at now: Int64) -> Int64 {
        next.withLock { next in
            next = max(next, Double(now) - Self.burst)
            defer { next += Double(events) * pause }
            return Int64(next)
        }
    }
}
