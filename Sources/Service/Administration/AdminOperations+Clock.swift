import Database
import Events
import Storage
import Upkeep

extension AdminOperations {
    /// What `sojourn clock` shows.
    /// - Parameter now: the clock's time, milliseconds since 1970
    func clockSummary(_ clock: ArrivalClock, at now: Int64) throws(AdminFailure) -> ClockSummary {
        try stored { () throws(StorageError) in
            ClockSummary(
                clock, at: now, newestArrival: try store.newestArrival(),
                floor: try store.pruneFloor())
        }
    }

    /// The operator vouches for the clock.
    func acceptClock(at now: Int64) throws(AdminFailure) -> ClockSummary {
        let clock = try clock()
        guard clock.isPossible(now) else {
            throw AdminFailure(
                .dataError,
                "the clock says \(Timestamp.text(now)), which is before this program was made; set it first"
            )
        }
        try stored { () throws(StorageError) in try store.acceptClock(at: now) }
        clock.accept(at: now)
        return try clockSummary(clock, at: now)
    }

    /// - Parameters:
    ///   - age: milliseconds
    ///   - all: also where everything is older
    func prune(olderThan age: Int64, all: Bool) throws(AdminFailure) -> PruneSummary {
        let now = Timestamp.milliseconds
        let (limit, overflow) = now.subtractingReportingOverflow(age)
        guard age > 0, !overflow else {
            throw AdminFailure(.usage, "--older-than takes a duration such as 400d")
        }
        try checkClock(for: "a prune")
        if !all { try checkRest(before: limit) }
        if let cluster {
            let pruned = try cluster.prune(
                before: limit, announce: { floor?.raise(to: $0, at: now) }, isStopping: isStopping)
            guard let pruned else {
                throw AdminFailure(
                    .busy, "the server stops: the prune has begun and not ended; try again")
            }
            return PruneSummary(
                before: pruned.limit, events: pruned.events, freedBytes: pruned.freed,
                damaged: pruned.damaged)
        }
        let pruned = try stored { () throws(StorageError) in
            try store.prune(
                before: limit, announce: { floor?.raise(to: $0, at: now) }, shouldStop: isStopping)
        }
        guard pruned.isWhole else {
            throw AdminFailure(
                .busy,
                "the server stops: \(pruned.events) events were pruned and some are left; try again"
            )
        }
        return PruneSummary(
            before: pruned.limit, events: pruned.events, freedBytes: pruned.freed,
            damaged: pruned.damaged)
    }

    /// Nothing is deleted by the word of a clock that something speaks against.
    /// - Parameter operation: what deletes
    func checkClock(for operation: String) throws(AdminFailure) {
        let now = Timestamp.milliseconds
        guard try clock().isDoubtful(now) else { return }
        throw AdminFailure(
            .dataError,
            "the clock says \(Timestamp.text(now)), and what is stored speaks against it, "
                + "by which \(operation) would delete; set it, or say sojourn clock accept")
    }

    /// A prune leaves something, or it is said that it need not.
    private func checkRest(before limit: Int64) throws(AdminFailure) {
        let own = try stored { () throws(StorageError) in try store.newestArrival() }
        // What the engine has may be newer than what is left here.
        let newest = [own, try cluster?.newestArrival()].compactMap(\.self).max()
        guard let newest, limit > newest else { return }
        throw AdminFailure(
            .dataError,
            "the limit \(Timestamp.text(limit)) is after the newest arrival, \(Timestamp.text(newest)): "
                + "nothing would be left; say --all if that is meant")
    }
}

/// Who vouches for the clock, as `sojourn clock` shows it; moments in milliseconds since 1970.
package struct ClockSummary: Codable, Sendable, Equatable {
    package let now: Int64
    /// Nil: nobody.
    package let voucher: ClockVoucher?
    /// Until when the operator's word holds; nil where it does not, or was never given.
    package let acceptedUntil: Int64?
    /// Whether batches are taken, whatever they say.
    package let isUsable: Bool
    /// Whether something speaks against it: then only batches are taken whose device has the same time.
    package let isDoubtful: Bool
    /// Nil without a batch.
    package let newestArrival: Int64?
    /// Before which no event is taken; nil before the first prune.
    package let pruneLimit: Int64?

    /// What a clock says of itself at a moment, and what is stored.
    package init(
        _ clock: ArrivalClock, at now: Int64, newestArrival: Int64?, floor: PruneFloor?
    ) {
        self.now = now
        voucher = clock.voucher(at: now)
        acceptedUntil = clock.acceptedUntil(now)
        isUsable = clock.isUsable(now)
        isDoubtful = clock.isDoubtful(now)
        self.newestArrival = newestArrival
        pruneLimit = floor?.moment(at: now)
    }

    package var members: [(String, JSONValue)] {
        [
            ("clock", .integer(now)), ("vouched_by", voucher.map { .text($0.rawValue) } ?? .null),
            ("accepted_until", acceptedUntil.map { .integer($0) } ?? .null),
            ("newest_arrival", newestArrival.map { .integer($0) } ?? .null),
            ("prune_limit", pruneLimit.map { .integer($0) } ?? .null),
        ]
    }
}
