import Database
import Storage

extension Store {
    /// Pages that one transaction gives back: a quarter of a megabyte.
    private static let pagesPerStep = 64

    /// Gives pages that deleting has freed back to the file system, a few at a time.
    /// - Parameter shouldStop: asked between two steps
    /// - Returns: how many octets
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
