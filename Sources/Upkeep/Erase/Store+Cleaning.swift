import Database
import Dispatch
import SQLiteFiles
import Storage

/// Removes what an erasure leaves in the WAL and in unused parts of the file, and retries failed
/// erasures.
extension Store {
    /// How long an erasure waits for readers of the WAL before it leaves that for later, and between
    /// two tries, milliseconds. They may be in any process.
    private static let patienceForReaders: UInt32 = 5_000
    private static let pauseForReaders: UInt32 = 100
    /// For how long each try holds the writer up, milliseconds.
    private static let patienceForWAL: Int32 = 20
    /// Between two tries, seconds: twice as long each time, up to this.
    private static let longestPause = 60

    /// Gives pages back, empties the WAL and overwrites what moved rows left in the file.
    /// - Returns: false where a reader blocks the WAL for long: the store then retries by itself
    func clean() throws(StorageError) -> Bool {
        try freePages()
        let isClean = try upkeep.polling.first(
            every: Self.pauseForReaders, for: Self.patienceForReaders
        ) { () throws(StorageError) in try tryToClean() ? true : nil }
        if isClean == nil { retryLater() }
        return isClean ?? false
    }

    /// Tries to end what has begun in a second, and again until it has ended or the store is closed.
    func retryLater(after seconds: Int = 1) {
        if upkeep.isWaitingToRetry.exchange(true, ordering: .relaxed) { return }
        upkeep.retries.asyncAfter(deadline: .now() + .seconds(seconds)) { [weak self] in
            guard let self else { return }
            upkeep.isWaitingToRetry.store(false, ordering: .relaxed)
            do throws(StorageError) {
                if try !retry() { retryLater(after: min(2 * seconds, Self.longestPause)) }
            } catch {
                if error.isClosed { return }
                retryLater(after: min(2 * seconds, Self.longestPause))
            }
        }
    }

    private func retry() throws(StorageError) -> Bool {
        try upkeep.erasures.run { () throws(StorageError) in try takeApartBegun() }
        try rebuildStaleDays()
        // Not where rows were deleted beside it all the time.
        let isRebuilt = try !hasStaleDays()
        if try reader().fact(Erasure.isUnclean) ?? 0 == 0 { return isRebuilt }
        try freePages()
        return try tryToClean() && isRebuilt
    }

    /// Whether days have yet to be rebuilt.
    func hasStaleDays() throws(StorageError) -> Bool { try !StaleDay.all(reader()).isEmpty }

    /// Rows may have been deleted beside all rebuilds: then days have stayed stale.
    func retryIfStale() {
        if (try? hasStaleDays()) ?? true { retryLater() }
    }

    private func tryToClean() throws(StorageError) -> Bool {
        do throws(StorageError) {
            try noteClean(asOf: scrubFile())
            return true
        } catch {
            guard error.kind == .busy else { throw error }
            return false
        }
    }

    /// - Returns: how many devices had been detached when it began
    func scrubFile() throws(StorageError) -> Int {
        let count = upkeep.detachments.load(ordering: .relaxed)
        try onWriter { (connection) throws(StorageError) in
            _ = try connection.checkpoint(.truncate, patience: Self.patienceForWAL)
        }
        let found = try FileScrub(reader()).pages()
        var pages = upkeep.scrubbing.withLock { scrubbing in
            scrubbing.formUnion(found)
            return scrubbing.sorted()[...]
        }
        while !pages.isEmpty {
            let some = pages.prefix(FileScrub.pagesPerStep)
            pages = pages.dropFirst(some.count)
            try onWriter { (connection) throws(StorageError) in
                try FileScrub(connection).clean(some, patience: Self.patienceForWAL)
            }
            upkeep.scrubbing.withLock { $0.subtract(some) }
        }
        return count
    }

    /// Last: what it writes itself is no trace of anybody. A device that was detached since the scrub
    /// began, or is not taken apart yet, still needs one of its own.
    func noteClean(asOf count: Int) throws(StorageError) {
        try writer.perform(keepsCodes: true) { [self] (connection) throws(StorageError) in
            guard upkeep.detachments.load(ordering: .relaxed) == count,
                try DeviceErasure(connection: connection).begun().isEmpty
            else { return }
            try connection.transaction { () throws(StorageError) in
                try connection.setFact(Erasure.isUnclean, 0)
            }
        }
    }

    private func onWriter(
        _ work: @Sendable (Connection) throws(StorageError) -> Void
    ) throws(StorageError) {
        try writer.perform(keeping: .all, alone: true, work)
    }
}

extension Store {
    /// Pages that one transaction gives back: a quarter of a megabyte.
    private static let pagesPerStep = 64

    /// Gives pages that deleting has freed back to the file system, step by step.
    /// - Parameter shouldStop: checked between two steps
    /// - Returns: how many bytes the file became shorter
    @discardableResult
    func freePages(shouldStop: () -> Bool = { false }) throws(StorageError) -> Int64 {
        var freed: Int64 = 0
        while !shouldStop() {
            let (before, after) = try writer.perform(keepsCodes: true) {
                (connection) throws(StorageError) in
                let before = try connection.integer("PRAGMA freelist_count") ?? 0
                if before == 0 { return (Int64(0), Int64(0)) }
                try connection.execute("PRAGMA incremental_vacuum(\(Self.pagesPerStep))")
                return (before, try connection.integer("PRAGMA freelist_count") ?? 0)
            }
            // A file that was made without the setting gives nothing back.
            if after >= before { break }
            freed += (before - after) * Int64(Connection.pageSize)
        }
        return freed
    }
}

extension Store {
    /// Rebuilds the segments of stale days from rows. Days of an app whose rows are deleted all the time stay stale.
    /// - Parameter shouldStop: asked between groups and portions; days that are not finished stay stale
    func rebuildStaleDays(shouldStop: () -> Bool = { false }) throws(StorageError) {
        let reader = try reader()
        try StaleDays.rebuildAll(reader, inTurn: upkeep.rebuilds.run, shouldStop: shouldStop) {
            (work) throws(StorageError) in
            try writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
                try connection.transaction { () throws(StorageError) in try work(connection) }
            }
        }
    }
}
