import Database
import Storage
import TimeZones

/// The devices that were first seen on a day of a range, in batches that match filters: the members
/// of a cohort (docs/reports.md, retention), or all new devices. Shared devices are left out. The
/// time of a device's first event outlives a prune.
struct Newcomers: Sendable {
    /// Their numbers, by row.
    private(set) var codes: RowCodes
    /// The local day on which each was first seen, by its number.
    private(set) var firstDays: [Int] = []
    private var held: HeldBytes

    /// How many devices are read between two checks whether the report has to end.
    private static let stride = 4096

    /// Reads them, with the filters of the question or with others. Throws what the database
    /// throws.
    init(
        _ scope: QueryScope, filter: ResourceFilter? = nil, _ reading: Reading
    ) throws(StorageError) {
        var days = LocalDays(scope.zone, from: scope.from, to: scope.to)
        let range = scope.from.number...scope.to.number
        let window = scope.zone.window(from: scope.from, to: scope.to)
        let filter = filter ?? scope.filter
        var resources = filter.isEmpty ? nil : try ResourceSet(filter, reading)
        codes = RowCodes(reading.account)
        held = HeldBytes(reading.account)
        // The time excludes the most rows, and each column costs.
        let areFew = try reading.areDevicesFew(of: scope.app.id)
        if !areFew { reading.readAhead(all: "device") }
        let statement = try reading.prepare(
            """
            SELECT id, first_time\(resources == nil ? "" : ", first_resource")
            FROM device\(areFew ? "" : " NOT INDEXED")
            WHERE first_time >= ?2 AND first_time < ?3 AND app = ?1 AND shared = 0
            """)
        try statement.bind(1, scope.app.id)
        try statement.bind(2, window.lowerBound)
        try statement.bind(3, window.upperBound)
        while try statement.step() {
            if try resources?.contains(statement.int(2)) == false { continue }
            guard let day = days.day(at: statement.int(1)), range.contains(day) else { continue }
            if codes.code(of: statement.int(0)) == firstDays.count {
                firstDays.append(day, &held)
                if firstDays.count % Self.stride == 0 { try reading.check() }
            }
        }
    }

    /// Their rows, by the bucket in which they were first seen.
    func byBucket(_ buckets: Buckets) -> [[Int64]] {
        var rows = [[Int64]](repeating: [], count: buckets.count)
        for (device, day) in zip(codes.rows, firstDays) {
            if let bucket = buckets.index(ofDay: day) { rows[bucket].append(device) }
        }
        return rows
    }

    /// How many devices there are.
    var count: Int { firstDays.count }

    /// The number of the local day on which a device was first seen; nil for one that is not here.
    func firstDay(of device: Int64) -> Int? { codes.known(device).map { firstDays[$0] } }
}
