import Database
import Storage

extension Store {
    /// The greatest limit of all prunes so far, milliseconds since 1970-01-01T00:00:00Z: older events
    /// are not taken any more. Nil before the first.
    package func prunedBefore() throws(StorageError) -> Int64? {
        try reader().fact(Self.prunedBefore)
    }

    /// When the last prune ended, milliseconds; 0 where it did not. Nil before the first.
    package func prunedAt() throws(StorageError) -> Int64? { try reader().fact(Self.prunedAt) }

    private static let prunedBefore = "pruned_before"
    static let prunedAt = "pruned_at"

    /// Deletes the events of sessions that ended before the limit, and those without a session from
    /// before it, in short transactions between the writer's groups; then gives the room back. What
    /// keeps it from its end leaves the rest to the next prune.
    /// - Parameters:
    ///   - limit: milliseconds since 1970-01-01T00:00:00Z
    ///   - announce: called with the greatest limit so far when it is on disk, before anything is deleted
    ///   - shouldStop: asked between two slices
    package func prune(
        before limit: Int64, announce: (Int64) -> Void = { _ in },
        shouldStop: @escaping () -> Bool = { false }
    ) throws(StorageError) -> Pruned {
        try upkeep.prunes.run { () throws(StorageError) in
            let (greatest, wasWhole) = try begin(limit)
            announce(greatest)
            var run = try PruneRun(store: self, limit: limit, shouldStop: shouldStop)
            try run.deleteEvents()
            try rebuildStaleDays(shouldStop: shouldStop)
            // Numbers of the newest batches are used again after an erasure: it would not see new uses of
            // a name after the row up to which it has looked.
            try upkeep.erasures.run { () throws(StorageError) in
                try run.deleteNames(all: !wasWhole)
            }
            let pruned = run.end(freed: try freePages(shouldStop: shouldStop))
            if pruned.isWhole { try note(Self.prunedAt, now()) }
            return pruned
        }
    }

    /// - Returns: the greatest limit so far, and whether the prune before this one came to its end
    private func begin(_ limit: Int64) throws(StorageError) -> (greatest: Int64, wasWhole: Bool) {
        try writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
            try connection.transaction { () throws(StorageError) in
                let greatest = max(limit, try connection.fact(Self.prunedBefore) ?? limit)
                let wasWhole = try connection.fact(Self.prunedAt) != 0
                try connection.setFact(Self.prunedBefore, greatest)
                try connection.setFact(Self.prunedAt, 0)
                return (greatest, wasWhole)
            }
        }
    }

    private func note(_ fact: String, _ value: Int64) throws(StorageError) {
        try writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
            try connection.transaction { () throws(StorageError) in
                try connection.setFact(fact, value)
            }
        }
    }
}
