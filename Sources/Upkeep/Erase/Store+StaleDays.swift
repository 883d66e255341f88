import Database
import Storage

extension Store {
    /// Makes the segments of stale days anew, each between two groups of the writer; stops between two
    /// days where it is told to.
    func rebuildStaleDays(shouldStop: () -> Bool = { false }) throws(StorageError) {
        for day in try StaleDay.all(reader()) {
            if shouldStop() { return }
            try writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
                try connection.transaction { () throws(StorageError) in
                    try day.rebuild(connection)
                }
            }
        }
    }
}
