import Database
import Events
import Storage

extension Store {
    /// The greatest limit of all prunes so far: older events are not taken any more. Nil before the first.
    package func pruneFloor() throws(StorageError) -> PruneFloor? { try reader().pruneFloor() }

    /// When the last prune ended, milliseconds; 0 where it did not. Nil before the first.
    package func prunedAt() throws(StorageError) -> Int64? { try reader().fact(Self.prunedAt) }

    fileprivate static let prunedBefore = "pruned_before"
    fileprivate static let prunedAge = "pruned_age"
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
        sparing: PruneSparing? = nil, announce: (PruneFloor) -> Void = { _ in },
        shouldStop: @escaping () -> Bool = { false }
    ) throws(StorageError) -> Pruned {
        try upkeep.prunes.run { () throws(StorageError) in
            let (greatest, wasWhole) = try begin(
                PruneFloor(limit: limit, age: (moment ?? now()) - limit))
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
    private func begin(
        _ floor: PruneFloor
    ) throws(StorageError) -> (greatest: PruneFloor, wasWhole: Bool) {
        try writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
            try connection.transaction { () throws(StorageError) in
                let greatest = try connection.raisePruneFloor(to: floor, at: now())
                let wasWhole = try connection.fact(Self.prunedAt) != 0
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
    /// - Parameter floor: one that reaches less far than those before changes nothing
    package func raisePruneFloor(to floor: PruneFloor) throws(StorageError) {
        guard floor.replaces(try pruneFloor(), at: now()) else { return }
        try writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
            try connection.transaction { () throws(StorageError) in
                // What is stored is pruned no further than before.
                try connection.setFact(Self.prunedDay, try connection.prunedDay())
                _ = try connection.raisePruneFloor(to: floor, at: now())
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

    /// The limit of all prunes so far; nil before the first.
    package func pruneFloor() throws(StorageError) -> PruneFloor? {
        guard let limit = try fact(Store.prunedBefore) else { return nil }
        return PruneFloor(limit: limit, age: try fact(Store.prunedAge))
    }

    /// - Returns: the one that reaches furthest at `now`, this one or another
    fileprivate func raisePruneFloor(
        to floor: PruneFloor, at now: Int64
    ) throws(StorageError) -> PruneFloor {
        if let known = try pruneFloor(), !floor.replaces(known, at: now) { return known }
        try setFact(Store.prunedBefore, floor.limit)
        if let age = floor.age {
            try setFact(Store.prunedAge, age)
        } else {
            try removeFact(Store.prunedAge)
        }
        return floor
    }

    /// By which prune all that is stored is pruned: the day of its limit since 1970-01-01, or a greater
    /// number if prunes followed each other fast; 0 before the first.
    package func prunedDay() throws(StorageError) -> Int64 {
        if let day = try fact(Store.prunedDay) { return day }
        return (try pruneFloor()?.limit ?? 0) / Self.day
    }
}
