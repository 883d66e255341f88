import Database
import Storage

extension Store {
    /// The greatest limit of all prunes so far, milliseconds since 1970-01-01T00:00:00Z: older events
    /// are not taken any more. Nil before the first.
    package func prunedBefore() throws(StorageError) -> Int64? {
        try reader().prunedBefore()
    }

    /// When the last prune ended, milliseconds; 0 where it did not. Nil before the first.
    package func prunedAt() throws(StorageError) -> Int64? { try reader().fact(Self.prunedAt) }

    fileprivate static let prunedBefore = "pruned_before"
    fileprivate static let prunedDay = "pruned_day"
    static let prunedAt = "pruned_at"

    /// Deletes the events of sessions that ended before the limit, and those without a session from
    /// before it, in short transactions between the writer's groups; then gives the room back. What
    /// keeps it from its end leaves the rest to the next prune.
    /// - Parameters:
    ///   - limit: milliseconds since 1970-01-01T00:00:00Z
    ///   - moment: a session that is open then has not ended; nil: now
    ///   - day: by what the prune is known to other nodes; nil: the limit's day
    ///   - sparing: knows of events that are stored elsewhere
    ///   - announce: called with the greatest limit so far when it is on disk, before anything is deleted
    ///   - shouldStop: asked between two slices
    package func prune(
        before limit: Int64, at moment: Int64? = nil, day: Int64? = nil,
        sparing: PruneSparing? = nil, announce: (Int64) -> Void = { _ in },
        shouldStop: @escaping () -> Bool = { false }
    ) throws(StorageError) -> Pruned {
        try upkeep.prunes.run { () throws(StorageError) in
            let (greatest, wasWhole) = try begin(limit)
            announce(greatest)
            var run = try PruneRun(
                store: self, limit: limit, now: moment, sparing: sparing, shouldStop: shouldStop)
            try run.deleteEvents()
            try rebuildStaleDays(shouldStop: shouldStop)
            if !shouldStop() { retryIfStale() }
            // Numbers of the newest batches are used again after an erasure: it would not see new uses of
            // a name after the row up to which it has looked.
            try upkeep.erasures.run { () throws(StorageError) in
                try run.deleteNames(all: !wasWhole)
            }
            let pruned = run.end(freed: try freePages(shouldStop: shouldStop))
            if pruned.isWhole { try noteEnd(day: day ?? limit / Connection.day) }
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

    /// Whether a prune by a limit may find anything; milliseconds since 1970-01-01T00:00:00Z.
    package func mayHaveEvents(before limit: Int64) throws(StorageError) -> Bool {
        let search = try PruneSearch(limit: limit, now: now(), reader())
        for app in registry.snapshot.apps where try !search.devices(of: app.id).isEmpty {
            return true
        }
        return false
    }

    /// From now on older events are not taken any more; nothing is deleted.
    /// - Parameter limit: milliseconds since 1970-01-01T00:00:00Z; one that is below the greatest so far
    ///   changes nothing
    package func raisePruneLimit(to limit: Int64) throws(StorageError) {
        if let known = try prunedBefore(), known >= limit { return }
        try writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
            try connection.transaction { () throws(StorageError) in
                let known = try connection.prunedBefore()
                if let known, known >= limit { return }
                // What is stored is pruned no further than before.
                try connection.setFact(Self.prunedDay, try connection.prunedDay())
                try connection.setFact(Self.prunedBefore, limit)
            }
        }
    }

    private func noteEnd(day: Int64) throws(StorageError) {
        let now = now()
        try writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
            try connection.transaction { () throws(StorageError) in
                let known = try connection.fact(Self.prunedDay) ?? day
                try connection.setFact(Self.prunedDay, max(known, day))
                try connection.setFact(Self.prunedAt, now)
            }
        }
    }
}

extension Connection {
    fileprivate static var day: Int64 { 86_400_000 }

    /// The limit of the last prune, milliseconds since 1970-01-01T00:00:00Z; nil before the first.
    package func prunedBefore() throws(StorageError) -> Int64? { try fact(Store.prunedBefore) }

    /// By which prune all that is stored is pruned: the day of its limit since 1970-01-01, or a greater
    /// number if prunes followed each other fast; 0 before the first.
    package func prunedDay() throws(StorageError) -> Int64 {
        if let day = try fact(Store.prunedDay) { return day }
        return (try prunedBefore() ?? 0) / Self.day
    }
}
