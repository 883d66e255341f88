import Synchronization

/// Bytes that all connections, and all others that are given the budget, may hold in memory together. Requests that
/// are still coming hold at most half; whole bodies and accepted batches have the other half alone, and
/// what is left of the first.
package final class Budget: Sendable {
    /// The most that is held, in bytes.
    package let limit: Int
    private let coming = Atomic<Int>(0)
    private let whole = Atomic<Int>(0)
    /// Since when requests that are still coming hold too much, 0 for not at all.
    private let crowd = Atomic<Int64>(0)

    package init(limit: Int) { self.limit = limit }

    /// What requests that are still coming may hold, in bytes.
    package var comingLimit: Int { limit / 2 }
    /// What whole bodies and accepted batches can always hold, in bytes.
    package var wholeShare: Int { limit - comingLimit }

    /// Bytes held now.
    package var used: Int { heldByComing + whole.load(ordering: .relaxed) }
    /// Bytes that requests hold now which are still coming: the capacity of their buffers.
    package var heldByComing: Int { coming.load(ordering: .relaxed) }
    /// `false` once the limit is reached.
    package var hasRoom: Bool { used < limit }
    /// Requests that are still coming hold more than they may: some have to end.
    package var isCrowded: Bool { heldByComing > comingLimit }

    /// The moment at which that was noticed.
    var crowdedSince: Int64? {
        let since = crowd.load(ordering: .acquiring)
        return since == 0 ? nil : since
    }

    /// Notes the moment.
    /// - Parameter now: nanoseconds of the monotonic clock
    /// - Returns: `false` where somebody else has.
    func beginCrowd(at now: Int64) -> Bool {
        guard crowdedSince == nil else { return false }
        return crowd.compareExchange(expected: 0, desired: now, ordering: .acquiringAndReleasing)
            .exchanged
    }

    /// There is room again.
    func calm() {
        if crowdedSince != nil { crowd.store(0, ordering: .releasing) }
    }

    /// Takes `count` bytes for a whole body or an accepted batch, if they fit.
    /// - Parameter rest: bytes that have to stay free besides
    package func reserve(_ count: Int, leaving rest: Int = 0) -> Bool {
        let (_, now) = whole.add(count, ordering: .relaxed)
        if now <= limit - rest - min(heldByComing, comingLimit) { return true }
        whole.subtract(count, ordering: .relaxed)
        return false
    }

    /// Gives back what was reserved.
    package func release(_ count: Int) { whole.subtract(count, ordering: .relaxed) }

    /// The buffer of a request that is still coming has another capacity by so many bytes. Beyond the
    /// limit too: those that have been coming longest make room afterwards.
    package func adjustComing(by count: Int) {
        if count != 0 { coming.add(count, ordering: .relaxed) }
    }
}
