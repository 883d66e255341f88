import Database
import Storage
import Synchronization
import TimeZones

/// The devices that were first seen on a day of a range, in batches that match filters: the members
/// of a cohort (docs/reports.md, retention), or all new devices. Shared devices are left out. The
/// time of a device's first event outlives a prune.
///
/// They are read some at a time, so that other threads can use the connection in between:
///
///     if newcomers.take() { try newcomers.forEach(reading) { device, day in … } }
final class Newcomers: Sendable {
    private struct Rows: ~Copyable {
        let statement: Statement
    }

    private struct Row {
        let device: Int64
        let firstTime: Int64
        let firstResource: Int64
    }

    private let rows: Mutex<Rows>
    /// Nil without filters.
    private let resources: ResourceSet?
    private let days: LocalDays
    private let range: ClosedRange<Int>
    private let taken = Atomic(false)

    /// How many rows are read at a time.
    private static let stride = 256

    /// With the filters of the question or with others; to be read once. Throws what the database throws.
    init(
        _ scope: QueryScope, filter: ResourceFilter? = nil, _ reading: Reading
    ) throws(StorageError) {
        range = scope.from.number...scope.to.number
        days = LocalDays(scope.zone, from: scope.from, to: scope.to)
        let window = scope.zone.window(from: scope.from, to: scope.to)
        let filter = filter ?? scope.filter
        resources = filter.isEmpty ? nil : try ResourceSet(filter, reading)
        reading.readAhead(all: "device_first")
        let statement = try reading.prepare(
            """
            SELECT id, first_time, first_resource FROM device INDEXED BY device_first
            WHERE app = ?1 AND shared = 0 AND first_time >= ?2 AND first_time < ?3
            """)
        try statement.bind(1, scope.app.id)
        try statement.bind(2, window.lowerBound)
        try statement.bind(3, window.upperBound)
        rows = Mutex(Rows(statement: statement))
    }

    /// Whether nobody took them before: where several threads may read them, one does.
    func take() -> Bool { !taken.exchange(true, ordering: .relaxed) }

    /// Calls `body` with each, once. Throws what the database throws, and if the report has to end.
    func forEach(
        _ reading: Reading, _ body: (_ device: Int64, _ day: Int) -> Void
    ) throws(StorageError) {
        var (days, resources) = (days, resources)
        var found: [Row] = []
        var isMore = true
        while isMore {
            try reading.check()
            found.removeAll(keepingCapacity: true)
            isMore = try reading.turn.take { () throws(StorageError) in try read(into: &found) }
            for row in found {
                if try resources?.contains(row.firstResource) == false { continue }
                guard let day = days.day(at: row.firstTime), range.contains(day) else { continue }
                body(row.device, day)
            }
        }
    }

    /// Reads some rows. False after the last.
    private func read(into found: inout [Row]) throws(StorageError) -> Bool {
        try rows.withLock { (rows) throws(StorageError) in
            while found.count < Self.stride {
                guard try rows.statement.step() else { return false }
                found.append(
                    Row(
                        device: rows.statement.int(0), firstTime: rows.statement.int(1),
                        firstResource: rows.statement.int(2)))
            }
            return true
        }
    }

    /// Calls `body` with each, once, and the number of its day, with the filters of the question or
    /// with others. Throws what the database throws.
    static func forEach(
        _ scope: QueryScope, filter: ResourceFilter? = nil, _ reading: Reading,
        _ body: (_ device: Int64, _ day: Int) -> Void
    ) throws(StorageError) {
        try Newcomers(scope, filter: filter, reading).forEach(reading, body)
    }
}
