/// Bounds on the lateness of events, by their UTC day and the bucket in which they arrived.
struct LatenessDays {
    /// The events of a day that arrived in a bucket.
    struct Day {
        /// Days since 1970-01-01.
        let day: Int64
        let bucket: Int
        /// How many events there are.
        fileprivate(set) var count = 0
        /// The bounds on their lateness, in milliseconds.
        fileprivate(set) var range: ClosedRange<Int64>
    }

    private struct Key: Hashable {
        let day: Int64
        let bucket: Int
    }

    /// In no order.
    private(set) var all: [Day] = []
    private var held: HeldBytes

    /// Bytes that a day takes in `indices`, about.
    private static let indexBytes = 48

    /// Without days.
    /// - Parameter account: of the report
    init(_ account: ReportAccount) { held = HeldBytes(account) }

    private var indices: [Key: Int] = [:]
    /// The index that was looked up last: parts of one day and bucket mostly follow each other.
    private var latest = 0

    /// Adds `count` events.
    mutating func add(
        _ count: Int, between range: ClosedRange<Int64>, day: Int64, bucket: Int
    ) {
        if !find(day, bucket) {
            latest = all.count
            indices[Key(day: day, bucket: bucket)] = latest
            all.append(Day(day: day, bucket: bucket, range: range), &held)
            held.add(Self.indexBytes)
        }
        let known = all[latest].range
        all[latest].count &+= count
        all[latest].range =
            min(known.lowerBound, range.lowerBound)...max(known.upperBound, range.upperBound)
    }

    /// Adds the days of another.
    mutating func merge(_ other: LatenessDays) {
        for some in other.all {
            add(some.count, between: some.range, day: some.day, bucket: some.bucket)
        }
    }

    /// The bounds of a day in a bucket, which has to have been added.
    mutating func range(day: Int64, bucket: Int) -> ClosedRange<Int64> {
        find(day, bucket) ? all[latest].range : 0...0
    }

    private mutating func find(_ day: Int64, _ bucket: Int) -> Bool {
        if latest < all.count, all[latest].day == day, all[latest].bucket == bucket { return true }
        guard let index = indices[Key(day: day, bucket: bucket)] else { return false }
        latest = index
        return true
    }
}
