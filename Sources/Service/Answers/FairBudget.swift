import Sockets
import Synchronization

/// Memory of which no holder takes all: each has half of a share while others want some, and always a
/// quarter of the share less than there is. For batches the holders are apps, for answers that wait for
/// their readers tokens (docs/operation.md, Settings: `max-buffered-bytes`, `max-answer-bytes`). Usable from
/// any thread.
final class FairBudget<Holder: Hashable & Sendable>: Sendable {
    private let budget: Budget
    private let share: Int
    private let shares = Mutex(Shares<Holder>())
    private let clock: @Sendable () -> Int64

    /// - Parameters:
    ///   - budget: what there is, which others may use too
    ///   - share: bytes of it that are the holders' alone
    ///   - clock: nanoseconds, never set back
    init(
        _ budget: Budget, share: Int,
        clock: @escaping @Sendable () -> Int64 = Clock.system.monotonic
    ) {
        self.budget = budget
        self.share = share
        self.clock = clock
    }

    /// The most that is held, in bytes.
    var limit: Int { budget.limit }
    /// Bytes held now, by others too.
    var used: Int { budget.used }

    /// Takes so many bytes for a holder, if they fit and it may have them.
    func reserve(_ count: Int, of holder: Holder) -> Bool {
        let now = clock()
        return shares.withLock { shares in
            let held = shares.ask(holder, at: now)
            // Whoever comes first must find room, and only then is known to want some.
            var rest = 0
            // One piece by itself is bounded by the budget alone, or it would never get in.
            if held > 0, held + count > share / 2 {
                guard !shares.othersWant(besides: holder, at: now) else { return false }
                rest = share / 4
            }
            guard budget.reserve(count, leaving: rest) else { return false }
            shares.adjust(holder, by: count)
            return true
        }
    }

    /// Gives back what was reserved.
    func release(_ count: Int, of holder: Holder) {
        budget.release(count)
        shares.withLock { $0.adjust(holder, by: -count) }
    }

    /// What was reserved, for whoever has to give it back.
    struct Reservation: Sendable {
        private let budget: FairBudget
        private let count: Int
        private let holder: Holder

        fileprivate init(_ budget: FairBudget, _ count: Int, _ holder: Holder) {
            self.budget = budget
            self.count = count
            self.holder = holder
        }

        /// To be called once.
        func release() { budget.release(count, of: holder) }
    }

    /// Nil where there is no room.
    func reservation(_ count: Int, of holder: Holder) -> Reservation? {
        reserve(count, of: holder) ? Reservation(self, count, holder) : nil
    }
}
