import Database
import Events
import Forwarding
import Storage
import Upkeep

/// What the setting `retention` prunes.
protocol RetentionPrune: Sendable {
    /// The limit of the prune that is due, milliseconds since 1970-01-01T00:00:00Z; nil: none is.
    /// - Parameter now: the same
    func limit(at now: Int64, _ schedule: RetentionSchedule) throws(AdminFailure) -> Int64?

    /// - Parameters:
    ///   - limit: milliseconds since 1970-01-01T00:00:00Z
    ///   - announce: called with the greatest limit so far before anything is deleted
    ///   - shouldStop: asked every now and then
    /// - Returns: events that were deleted and damaged batches that were left alone; nil where it was stopped
    func prune(
        before limit: Int64, announce: (PruneFloor) -> Void,
        shouldStop: @escaping @Sendable () -> Bool
    ) throws(AdminFailure) -> (events: Int64, damaged: Int64)?
}

/// A database, where no engine is.
struct StoreRetention: RetentionPrune {
    let store: Store

    func limit(at now: Int64, _ schedule: RetentionSchedule) throws(AdminFailure) -> Int64? {
        do throws(StorageError) {
            return schedule.limit(at: now, lastEnd: try store.prunedAt())
        } catch {
            throw AdminFailure(error)
        }
    }

    func prune(
        before limit: Int64, announce: (PruneFloor) -> Void,
        shouldStop: @escaping @Sendable () -> Bool
    ) throws(AdminFailure) -> (events: Int64, damaged: Int64)? {
        do throws(StorageError) {
            let pruned = try store.prune(
                before: limit, announce: announce, shouldStop: shouldStop)
            return (pruned.events, pruned.damaged)
        } catch {
            // The server is at its end.
            if error.isClosed { return nil }
            throw AdminFailure(error)
        }
    }
}

/// All nodes of an engine, where this one is the one that prunes for all.
struct ClusterRetention: RetentionPrune {
    /// Milliseconds after which a prune that another node has begun is taken for one that never ends.
    private static let longest: UInt64 = 3_600_000

    let cluster: Cluster

    func limit(at now: Int64, _ schedule: RetentionSchedule) throws(AdminFailure) -> Int64? {
        let (isFirst, last) = try cluster.asking { () throws(ForwardingError) in
            let session = try cluster.session()
            let name = cluster.settings.node
            let first = NodeTable.first(
                try NodeTable.all(session), now: try NodeTable.now(session))
            return (first == name, try SharedPruneLimit(session, node: name).last())
        }
        guard isFirst else { return nil }
        let isCutOff = last.map { !$0.isDone && (now - $0.at).magnitude >= Self.longest } ?? false
        return schedule.limit(at: now, lastEnd: isCutOff ? nil : last?.at)
    }

    func prune(
        before limit: Int64, announce: (PruneFloor) -> Void,
        shouldStop: @escaping @Sendable () -> Bool
    ) throws(AdminFailure) -> (events: Int64, damaged: Int64)? {
        try cluster.prune(before: limit, announce: announce, isStopping: shouldStop)
            .map { ($0.events, $0.damaged) }
    }
}
