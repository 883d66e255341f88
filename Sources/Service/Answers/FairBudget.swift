import Sockets
import Synchronization

/// Memory of which no holder takes all: each has half of a share while others want some, and always a
/// quarter of the share less than there is. For batches the holders are apps, for answers that wait for
/// their readers tokens (docs/operation.md, Settings: `max-buffered-bytes`, `max-answer-bytes`). Usable
/// from any thread.
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

    /// Maximum of bytes that are held.
    var limit: Int { budget.limit }
    /// Bytes held now, by others too.
    var used: Int { budget.used }

    /// Takes so many bytes for a holder, if they fit and it may have them.
    func reserve(_ count: Int, of holder: Holder) -> Bool {
        let now = clock()
        return shares.withLock { shares in
            let held = shares.ask(holder, at: now)
            // The first of a share must find room, and only then is known to want some.
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

    /// What was reserved, for the owner to give back.
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

/// How much of something that is shared each holder has, and which holders want some. Pure: the moment is
/// handed in.
struct Shares<Holder: Hashable> {
    private struct Holding {
        var held = 0
        /// When it last wanted some, nanoseconds of a clock that is never set.
        var askedAt: Int64

        mutating func ask(at now: Int64) -> Int {
            askedAt = now
            return held
        }
    }

    /// For how long a holder counts as one that wants some after it has asked, in nanoseconds.
    static var lasting: Int64 { 1_000_000_000 }

    /// As many as there are apps, or tokens.
    private var holdings: [Holder: Holding] = [:]

    /// A holder wants some.
    /// - Returns: what it holds already.
    mutating func ask(_ holder: Holder, at now: Int64) -> Int {
        holdings[holder, default: Holding(askedAt: now)].ask(at: now)
    }

    /// Whether another one holds some, or has wanted some lately.
    func othersWant(besides holder: Holder, at now: Int64) -> Bool {
        holdings.contains {
            $0.key != holder && ($0.value.held > 0 || now - $0.value.askedAt < Self.lasting)
        }
    }

    /// A holder that has asked holds so much more, or less.
    mutating func adjust(_ holder: Holder, by count: Int) {
        holdings[holder]?.held += count
    }
}
