import Database
import Engine
import Forwarding
import Storage
import Upkeep

extension Cluster {
    /// Milliseconds between two looks at whether the forwarder has pruned the spool, and for how long.
    private static let pruneLook: UInt32 = 200
    private static let prunePatience: UInt32 = 10_000

    /// Prunes what all nodes have: the engine, and then this node's spool. Other nodes follow by themselves.
    /// - Parameters:
    ///   - limit: milliseconds since 1970
    ///   - announce: called with the greatest limit so far when all nodes can know it
    ///   - isStopping: whether it is to end
    /// - Returns: nil where it was stopped
    /// - Throws: a failure of kind `unavailable` without the engine: nothing is done then
    func prune(
        before limit: Int64, announce: (Int64) -> Void,
        isStopping: @escaping @Sendable () -> Bool, polling: Polling = .system
    ) throws(AdminFailure) -> PrunedCluster? {
        var hasBegun = false
        do throws(ForwardingError) {
            let session = try session(until: isStopping)
            let outcome = try SharedPrune(
                store, session, node: settings.node, polling: polling
            ).run(before: limit, at: store.now(), handsOver: forwarder != nil) { greatest in
                hasBegun = true
                floor.raise(to: greatest)
                announce(greatest)
            }
            let own = try pruneSpool(outcome.limit, session, polling)
            return PrunedCluster(
                limit: outcome.limit.limit, events: outcome.events, freed: own?.freed,
                damaged: own?.damaged ?? 0)
        } catch {
            if case .engine(let cause) = error, cause.kind == .interrupted { return nil }
            let failure = AdminFailure(error)
            guard hasBegun else { throw failure }
            throw AdminFailure(
                failure.exit,
                "\(failure.description); the prune has begun and not ended: run it again")
        }
    }

    /// A forwarder prunes the spool itself, before it hands over more.
    private func pruneSpool(
        _ limit: PruneLimit, _ session: EngineSession, _ polling: Polling
    ) throws(ForwardingError) -> Pruned? {
        let spool = SpoolPrune(store, session)
        guard let forwarder else { return try spool.run(limit) }
        forwarder.look()
        do throws(StorageError) {
            _ = try polling.first(every: Self.pruneLook, for: Self.prunePatience) {
                () throws(StorageError) -> Bool? in
                try spool.isDone(limit) || session.isInterrupted ? true : nil
            }
        } catch {
            throw .storage(error)
        }
        return nil
    }
}

/// What a prune of all nodes did.
struct PrunedCluster {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    let limit: Int64
    /// Events that went from the engine: of all nodes.
    let events: Int64
    /// Bytes that this node's database is smaller; nil where the forwarder prunes it.
    let freed: Int64?
    /// Batches of this node's that kept their events, since they are not what was written.
    let damaged: Int64
}
