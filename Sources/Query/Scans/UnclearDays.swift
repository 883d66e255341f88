import Columns
import Database
import Storage
import TimeZones

/// UTC days with parts that have to be read event by event: few, so that nobody reads the times of
/// all the others.
struct UnclearDays: ReportShare {
    private static let length: Int64 = 86_400_000

    /// The first instants of the days.
    private var starts: Set<Int64> = []

    /// Adds a day by its number since 1970-01-01.
    mutating func insert(day: Int64) { starts.insert(day &* Self.length) }

    mutating func merge(_ other: UnclearDays) { starts.formUnion(other.starts) }

    /// Calls `body`, which may read times, with each part of these days. Throws what the database
    /// throws, and `damaged`.
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
