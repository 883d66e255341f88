import Storage

/// How late events were, by the bucket in which their batches arrived: exact nearest ranks
/// (docs/reports.md, quality), in memory that does not grow with the events. The heads of parts
/// tell already between which two values a rank lies; times are read only of the days of parts that
/// reach in there.
struct Lateness {
    /// Counters of all searches together.
    private static let slots = 1 << 18

    private let app: Int64
    private let resources: ResourceSet
    private var arrivals: ArrivalBuckets
    private let percents: [Int]
    /// Of each bucket with events, in the order of `percents`.
    private var searches: [[RankSearch]]

    /// Finds them for the batches that the filters of a question let through. Throws what the
    /// database throws, `damaged`, and if the report is to end.
    init(
        _ question: Question, percents: [Int], _ resources: ResourceSet, _ reading: Reading
    ) throws(StorageError) {
        app = question.app.id
        self.resources = resources
        self.percents = percents
        arrivals = ArrivalBuckets(question)
        searches = [[RankSearch]](repeating: [], count: arrivals.buckets.count)
        try begin(reading)
        try forEachHead(reading) { bucket, part, searches in
            for place in searches[bucket].indices {
                searches[bucket][place].add(part.count, between: part.lateness)
            }
        }
        narrow()
        let (days, ranges) = try reach(reading)
        while searches.contains(where: { $0.contains(where: \.isOpen) }) {
            try count(days, ranges, reading)
            narrow()
        }
    }

    /// The value of a percentile in a bucket, by their places, in milliseconds; nil without events.
    func rank(_ place: Int, in bucket: Int) -> Int64? {
        searches[bucket].isEmpty ? nil : searches[bucket][place].range.lowerBound
    }

    private mutating func begin(_ reading: Reading) throws(StorageError) {
        var counts = [Int](repeating: 0, count: searches.count)
        var ranges = [ClosedRange<Int64>?](repeating: nil, count: searches.count)
        try forEachHead(reading) { bucket, part, _ in
            counts[bucket] += part.count
            let range = part.lateness
            let low = min(ranges[bucket]?.lowerBound ?? .max, range.lowerBound)
            let high = max(ranges[bucket]?.upperBound ?? .min, range.upperBound)
            ranges[bucket] = low...high
        }
        let open = ranges.count { $0 != nil } * percents.count
        var most = 1 << 16
        while most > 16, most * open > Self.slots { most /= 2 }
        for (bucket, range) in ranges.enumerated() {
            guard let range else { continue }
            searches[bucket] = percents.map {
                RankSearch(percent: $0, of: counts[bucket], in: range, slots: most)
            }
        }
    }

    private mutating func narrow() {
        for bucket in searches.indices {
            for place in searches[bucket].indices { searches[bucket][place].narrow() }
        }
    }

    /// The days of the parts that reach into the range of a search, and these ranges; the parts
    /// below are left out from now on.
    private mutating func reach(
        _ reading: Reading
    ) throws(StorageError) -> (UnclearDays, [[ClosedRange<Int64>]]) {
        let ranges = searches.map { $0.map(\.range) }
        var days = UnclearDays()
        try forEachHead(reading) { bucket, part, searches in
            let lateness = part.lateness
            for (place, range) in ranges[bucket].enumerated() {
                if lateness.overlaps(range) {
                    if searches[bucket][place].isOpen { days.insert(part) }
                } else if lateness.upperBound < range.lowerBound {
                    searches[bucket][place].leaveOut(part.count)
                }
            }
        }
        return (days, ranges)
    }

    /// Counts the events of the parts that reach into these ranges, one by one.
    private mutating func count(
        _ days: UnclearDays, _ ranges: [[ClosedRange<Int64>]], _ reading: Reading
    ) throws(StorageError) {
        try days.forEach(of: app, reading) { part in
            guard let bucket = bucket(of: part) else { return }
            let (lateness, arrival) = (part.lateness, part.arrival)
            for (place, range) in ranges[bucket].enumerated() where lateness.overlaps(range) {
                if !searches[bucket][place].isOpen { continue }
                part.readTimes()
                searches[bucket][place].add(arrival, minus: part.times, part.count)
            }
        }
    }

    /// Calls `body` with each part that is let through and the bucket in which it arrived.
    private mutating func forEachHead(
        _ reading: Reading,
        _ body: (_ bucket: Int, borrowing SegmentReader, inout [[RankSearch]]) -> Void
    ) throws(StorageError) {
        var scan = try reading.segments(of: app, EventScan.always, [])
        while try scan.next() {
            if let bucket = bucket(of: scan.part) { body(bucket, scan.part, &searches) }
        }
    }

    private mutating func bucket(of part: borrowing SegmentReader) -> Int? {
        resources.contains(part.resource) ? arrivals.place(of: part.arrival) : nil
    }
}

extension SegmentReader {
    /// Arrival − time of its latest and of its earliest event, milliseconds.
    fileprivate var lateness: ClosedRange<Int64> {
        // In the order that they should have, also where the segment is damaged.
        let (a, b) = (arrival &- last, arrival &- first)
        return min(a, b)...max(a, b)
    }
}
