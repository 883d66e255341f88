import Database
import Engine
import Events
import Forwarding
import Storage
import Upkeep

extension Cluster {
    /// Milliseconds between two looks at whether the forwarder has pruned the spool, and for how long.
    private static let pruneLook: UInt32 = 200
    private static let prunePatience: UInt32 = 10_000
    /// Milliseconds by which this clock may differ from the engine's: all nodes follow the one that prunes.
    private static let maxClockOffset: UInt64 = 3_600_000

    /// Prunes what all nodes have: the engine, and then this node's spool. Other nodes follow by themselves.
    /// - Parameters:
    ///   - limit: milliseconds since 1970
    ///   - announce: called with the greatest limit so far when all nodes can know it
    ///   - isStopping: whether it is to end
    /// - Returns: nil where it was stopped
    /// - Throws: a failure of kind `unavailable` without the engine, `dataError` where its clock says otherwise: nothing
    ///   is done then
    func prune(
        before limit: Int64, announce: (PruneFloor) -> Void,
        isStopping: @escaping @Sendable () -> Bool, polling: Polling = .system
    ) throws(AdminFailure) -> PrunedCluster? {
        let now = store.now()
        try checkClock(now, "a prune", isStopping)
        var hasBegun = false
        do throws(ForwardingError) {
            let session = try session(until: isStopping)
            let outcome = try SharedPrune(
                store, session, node: settings.node, polling: polling
            ).run(before: limit, at: now, handsOver: forwarder != nil) { greatest in
                hasBegun = true
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

    /// When the newest batch arrived that the engine has, of any node; nil without one. Milliseconds since 1970.
    func newestArrival() throws(AdminFailure) -> Int64? {
        try asking { () throws(ForwardingError) in try SharedPrune.newestArrival(session()) }
    }

    /// All nodes follow what one of them does by its clock.
    /// - Parameter operation: what goes for all
    func checkClock(
        _ own: Int64, _ operation: String, _ isStopping: @escaping @Sendable () -> Bool = { false }
    ) throws(AdminFailure) {
        let others = try asking { () throws(ForwardingError) in
            try NodeTable.now(try session(until: isStopping))
        }
        guard (own - others).magnitude > Self.maxClockOffset else { return }
        throw AdminFailure(
            .dataError,
            "this clock says \(Timestamp.text(own)) and the engine's \(Timestamp.text(others)), "
                + "and \(operation) goes for all nodes: set the one that is wrong")
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
