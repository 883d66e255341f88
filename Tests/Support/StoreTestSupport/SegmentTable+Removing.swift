import Database
import Storage

extension SegmentTable {
    /// Forgets all segments of an app: all of its events are read as rows until they are made anew.
    package static func removeAll(of app: Int64, _ connection: Connection) throws(StorageError) {
        try connection.change("DELETE FROM segment WHERE app = ?", app)
        try connection.change("DELETE FROM segmented WHERE app = ?", app)
        try connection.change("DELETE FROM stale_day WHERE app = ?", app)
        try noteTailRemoval(connection)
    }
}
