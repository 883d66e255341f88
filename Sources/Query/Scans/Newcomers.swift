import Database
import Storage
import TimeZones

/// The devices that were first seen on a day of a range, in batches that match filters: the members
/// of a cohort (docs/reports.md, retention), or all new devices. Shared devices are left out. The
/// time of a device's first event outlives a prune.
enum Newcomers {
    /// How many devices are read between two checks whether the report has to end.
    private static let stride = 4096

    /// Calls `body` with each, once, and the number of its day, with the filters of the question or
    /// with others. Throws what the database throws.
    static func forEach(
        _ scope: QueryScope, filter: ResourceFilter? = nil, _ reading: Reading,
        _ body: (_ device: Int64, _ day: Int) -> Void
    ) throws(StorageError) {
        var days = LocalDays(scope.zone, from: scope.from, to: scope.to)
        let range = scope.from.number...scope.to.number
        let window = scope.zone.window(from: scope.from, to: scope.to)
        let filter = filter ?? scope.filter
        var resources = filter.isEmpty ? nil : try ResourceSet(filter, reading)
        reading.readAhead(all: "device_first")
        let statement = try reading.prepare(
            """
            SELECT id, first_time, first_resource FROM device INDEXED BY device_first
            WHERE app = ?1 AND shared = 0 AND first_time >= ?2 AND first_time < ?3
            """)
        try statement.bind(1, scope.app.id)
        try statement.bind(2, window.lowerBound)
        try statement.bind(3, window.upperBound)
        var unchecked = 0
        while try statement.step() {
            if try resources?.contains(statement.int(2)) == false { continue }
            guard let day = days.day(at: statement.int(1)), range.contains(day) else { continue }
            body(statement.int(0), day)
            unchecked += 1
            if unchecked == stride {
                unchecked = 0
                try reading.check()
            }
        }
    }
}
