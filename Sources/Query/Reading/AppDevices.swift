import Database
import Storage
import Synchronization

/// Whether an app has few of all devices: then its own are found by the index, one by one; else all are
/// gone through, of which each takes a tenth of that. So what other apps have is never more work than the
/// app's own. It remembers what it has counted, and counts again when there are a quarter more. Of any
/// thread.
final class AppDevices: Sendable {
    private struct Known {
        let own: Int64
        /// The greatest row of a device when they were counted.
        let all: Int64
    }

    /// How many rows are gone through in the time in which one is found.
    private static let rowsForOne: Int64 = 8

    private let known = Mutex<[Int64: Known]>([:])

    /// One that has counted nothing yet.
    init() {}

    /// Whether they are few. Throws what the database throws.
    func areFew(of app: Int64, _ reading: Reading) throws(StorageError) -> Bool {
        let newest = try reading.prepare("SELECT coalesce(max(id), 0) FROM device")
        let all = try newest.step() ? newest.int(0) : 0
        if let known = known.withLock({ $0[app] }), known.all <= all,
            all - known.all <= known.all / 4
        {
            return known.own * Self.rowsForOne < known.all
        }
        let count = try reading.prepare("SELECT count(*) FROM device WHERE app = ?1")
        try count.bind(1, app)
        let own = try count.step() ? count.int(0) : 0
        known.withLock { $0[app] = Known(own: own, all: all) }
        return own * Self.rowsForOne < all
    }
}
