import Columns
import Database
import Storage
import TimeZones

/// UTC days of which some parts have to be looked at event by event: few, so that the times of all
/// others need not be read.
struct UnclearDays: ReportShare {
    private static let length: Int64 = 86_400_000

    /// The first instants of the days.
    private var starts: Set<Int64> = []

    /// Adds a day by its number since 1970-01-01.
    mutating func insert(day: Int64) { starts.insert(day &* Self.length) }

    mutating func merge(_ other: UnclearDays) { starts.formUnion(other.starts) }

    /// Calls `body` with each part of these days; it may read the times. Throws what the database throws,
    /// and `damaged`.
    func forEach(
        of app: Int64, _ reading: Reading,
        _ body: (inout SegmentReader) throws(StorageError) -> Void
    ) throws(StorageError) {
        for start in starts.sorted() {
            try reading.check()
            var scan = try reading.segments(of: app, start..<start + Self.length, .times)
            while try scan.next() {
                try body(&scan.part)
                try scan.check()
            }
        }
    }
}
