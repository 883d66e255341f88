/// Between which values the lateness of events lies, by their UTC day and the bucket in which they
/// arrived.
struct LatenessDays {
    /// What arrived of a day in a bucket.
    struct Day {
        /// Days since 1970-01-01.
        let day: Int64
        let bucket: Int
        /// How many events.
        fileprivate(set) var count = 0
        /// In milliseconds.
        fileprivate(set) var range: ClosedRange<Int64>
    }

    private struct Key: Hashable {
        let day: Int64
        let bucket: Int
    }

    /// In no order.
    private(set) var all: [Day] = []
    private var held: HeldBytes

    /// What a day takes in `places`, about.
    private static let placeOctets = 48

    /// None yet.
    /// - Parameter account: of the report
    init(_ account: ReportAccount) { held = HeldBytes(account) }

    private var places: [Key: Int] = [:]
    /// What was asked for last: parts of a day and a bucket stand together, mostly.
    private var latest = 0

    /// Adds so many events.
    mutating func add(
        _ count: Int, between range: ClosedRange<Int64>, day: Int64, bucket: Int
    ) {
        if !find(day, bucket) {
            latest = all.count
            places[Key(day: day, bucket: bucket)] = latest
            all.append(Day(day: day, bucket: bucket, range: range), &held)
            held.add(Self.placeOctets)
        }
        let known = all[latest].range
        all[latest].count &+= count
        all[latest].range =
            min(known.lowerBound, range.lowerBound)...max(known.upperBound, range.upperBound)
    }

    /// Adds all that another one has.
    mutating func merge(_ other: LatenessDays) {
        for some in other.all {
            add(some.count, between: some.range, day: some.day, bucket: some.bucket)
        }
    }

    /// The values of a day in a bucket, which was added.
    mutating func range(day: Int64, bucket: Int) -> ClosedRange<Int64> {
        find(day, bucket) ? all[latest].range : 0...0
    }

    private mutating func find(_ day: Int64, _ bucket: Int) -> Bool {
        if latest < all.count, all[latest].day == day, all[latest].bucket == bucket { return true }
        guard let place = places[Key(day: day, bucket: bucket)] else { return false }
        latest = place
        return true
    }
}
