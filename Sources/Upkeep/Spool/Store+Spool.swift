import Database
import Storage

/// What emptying the spool has done.
package struct EmptiedSpool: Sendable, Equatable {
    /// Batches that were deleted, and their events.
    package var batches = 0
    package var events = 0
    /// Whether it came to its end.
    package var isWhole = true

    /// Nothing yet.
    package init() {}
}

extension Store {
    /// The fact of `meta` that is 1 while names that nobody uses may be left over.
    static let isEmptyingSpool = "spool_emptying"

    /// Deletes all batches up to one, row and all, in short transactions between the writer's groups: what
    /// was handed over long ago. A repeat of one that comes later is stored as a new batch. Each transaction
    /// leaves a database in which nothing is amiss; what keeps it from its end leaves the rest to the next
    /// time, as does a prune that waits for it: hand-over waits for that.
    /// - Parameters:
    ///   - batch: the row of the last one to go
    ///   - shouldStop: asked between two slices
    package func emptySpool(
        upTo batch: Int64, shouldStop: @escaping () -> Bool = { false }
    ) throws(StorageError) -> EmptiedSpool {
        let shouldStop = { [prunes = upkeep.prunes] in shouldStop() || prunes.isAwaited }
        return try upkeep.prunes.run { () throws(StorageError) in
            var emptying = try SpoolEmptying(store: self, upTo: batch, shouldStop: shouldStop)
            try emptying.deleteBatches()
            try upkeep.rebuilds.run { () throws(StorageError) in
                try emptying.deleteSegments()
            }
            // As after a prune: numbers of the newest batches are used again after an erasure.
            try upkeep.erasures.run { () throws(StorageError) in try emptying.deleteNames() }
            if try isMostlyFree() { try freePages(shouldStop: shouldStop) }
            return emptying.end()
        }
    }

    /// Whether the file is a quarter larger than it has to be. Less is left for what comes next.
    private func isMostlyFree() throws(StorageError) -> Bool {
        let reader = try reader()
        let free = try reader.integer("PRAGMA freelist_count") ?? 0
        return free > (try reader.integer("PRAGMA page_count") ?? 0) / 4
    }
}
