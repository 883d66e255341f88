import Database
import Storage
import Synchronization

/// Decides how a report reads the devices of an app: one by one through the index where the app has
/// few of all devices, else by a scan of all, where each row takes a tenth of that time. So the
/// devices of other apps never cost more than the app's own. It remembers its counts, and counts
/// again when there are a quarter more devices. Any thread may use it.
final class AppDevices: Sendable {
    private struct Known {
        /// Those of the app, counted until they are too many to be few.
        let own: Int64
        /// The greatest row of a device when they were counted.
        let all: Int64
    }

    /// How many rows a scan reads in the time in which the index finds one.
    private static let scannedPerLookup: Int64 = 8

    private let known = Mutex<[Int64: Known]>([:])

    /// Without counts.
    init() {}

    /// Whether an app has few of all devices. Throws what the database throws.
    func areFew(of app: Int64, _ reading: Reading) throws(StorageError) -> Bool {
        let newest = try reading.prepare("SELECT coalesce(max(id), 0) FROM device")
        let all = try newest.step() ? newest.int(0) : 0
        if let known = known.withLock({ $0[app] }), known.all <= all,
            all - known.all <= known.all / 4
        {
            return known.own * Self.scannedPerLookup < known.all
        }
        // More make no difference, and each has its place in the index.
        let count = try reading.prepare(
            "SELECT count(*) FROM (SELECT 1 FROM device WHERE app = ?1 LIMIT ?2)")
        try count.bind(1, app)
        try count.bind(2, all / Self.scannedPerLookup + 1)
        let own = try count.step() ? count.int(0) : 0
        known.withLock { $0[app] = Known(own: own, all: all) }
        return own * Self.scannedPerLookup < all
    }
}
