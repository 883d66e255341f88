import Columns
import Database
import Storage
import TimeZones

/// Cuts the range of a question at midnights of UTC, for reports that go through time in order: each
/// event of a stretch is earlier than all of the next.
struct Stretches {
    private let window: Range<Int64>
    /// The days that have segments in rows, in order, and how many.
    private var days: ArraySlice<(day: Int64, segments: Int)>
    /// The end of the last stretch.
    private var reached: Int64
    private var isAtEnd = false
    /// How many segments in rows the last one has.
    private(set) var segments = 0

    /// Throws what the database throws.
    init(_ scope: QueryScope, _ reading: Reading) throws(StorageError) {
        window = scope.zone.window(from: scope.from, to: scope.to)
        reached = window.lowerBound
        let range = Segment.days(of: window)
        let counts = try reading.prepare(
            """
            SELECT day, count(*) FROM segment INDEXED BY segment_by_day
            WHERE app = ?1 AND day >= ?2 AND day <= ?3 GROUP BY day ORDER BY day
            """)
        try counts.bind(1, scope.app.id)
        try counts.bind(2, range.lowerBound)
        try counts.bind(3, range.upperBound)
        var found: [(day: Int64, segments: Int)] = []
        while try counts.step() { found.append((counts.int(0), Int(counts.int(1)))) }
        days = found[...]
    }

    /// The next stretch; nil after the last. Together they have all events of the range.
    /// - Parameter most: how many segments in rows it should have at most; a single day may have more
    mutating func next(most: Int) -> Range<Int64>? {
        if isAtEnd { return nil }
        let start = reached
        segments = 0
        while let (day, count) = days.first {
            let midnight = day &* Segment.dayLength
            if segments > 0, segments + count > most, midnight > start {
                reached = midnight
                return start..<midnight
            }
            segments += count
            days.removeFirst()
        }
        isAtEnd = true
        return start..<max(window.upperBound, start)
    }
}
