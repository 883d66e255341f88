import Sockets
import Synchronization

/// Memory of whole bodies and accepted batches, so that no app takes all of it (docs/operation.md,
/// `max-buffered-bytes`): half of the share that is theirs alone while others want some, and always a
/// quarter less than there is. Usable from any thread.
final class BatchRoom: Sendable {
    private let budget: Budget
    private let shares = Mutex(AppShares())
    private let clock: @Sendable () -> Int64

    /// - Parameters:
    ///   - budget: shared with the requests that are still coming
    ///   - clock: nanoseconds, never set back
    init(_ budget: Budget, clock: @escaping @Sendable () -> Int64 = Clock.system.monotonic) {
        self.budget = budget
        self.clock = clock
    }

    /// Takes so many bytes for an app, if they fit and it may have them.
    /// - Parameter app: row id
    func reserve(_ count: Int, of app: Int64) -> Bool {
        let now = clock()
        return shares.withLock { shares in
            let held = shares.ask(app, at: now)
            // Whoever comes first must find room, and only then is known to want some.
            var rest = 0
            // One batch by itself is bounded by the budget alone, or it would never get in.
            if held > 0, held + count > budget.wholeShare / 2 {
                guard !shares.othersWant(besides: app, at: now) else { return false }
                rest = budget.wholeShare / 4
            }
            guard budget.reserve(count, leaving: rest) else { return false }
            shares.adjust(app, by: count)
            return true
        }
    }

    /// Gives back what was reserved.
    func release(_ count: Int, of app: Int64) {
        budget.release(count)
        shares.withLock { $0.adjust(app, by: -count) }
    }
}
