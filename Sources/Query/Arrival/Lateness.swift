import Database
import Storage
import TimeZones

/// How late events were, by the bucket in which their batches arrived: exact nearest ranks
/// (docs/reports.md, quality), in memory that does not grow with the events. The heads of parts
/// tell already between which two values a rank lies; times are read only of days that reach in
/// there.
struct Lateness {
    /// What is known of a bucket by its batches.
    struct Spread {
        /// How many events they have.
        private(set) var count = 0
        /// In which these lie, arrival − time in milliseconds; nil without any.
        private(set) var range: ClosedRange<Int64>?

        /// Adds a batch.
        mutating func add(_ batch: borrowing BatchScan) {
            guard batch.events > 0 else { return }
            count += Int(batch.events)
            let span = Lateness.range(batch.arrival, batch.first, batch.last)
            guard let range else {
                range = span
                return
            }
            self.range =
                min(range.lowerBound, span.lowerBound)...max(range.upperBound, span.upperBound)
        }
    }

    /// Counters of all searches together, of begins and of ends, on each thread.
    private static let slots = 1 << 18

    private let app: Int64
    private var resources: ResourceSet
    private var arrivals: ArrivalBuckets
    private let percents: [Int]
    /// Those of a bucket stand together, in the order of `percents`.
    private var searches: [RankSearch] = []
    private let hasEvents: [Bool]
    private var days: LatenessDays

    /// Finds them for the batches that the filters of a question let through. Throws what the
    /// database throws, `damaged`, and if the report is to end.
    /// - Parameter spreads: of all these batches, by bucket
    init(
        _ scope: QueryScope, by interval: Interval, percents: [Int], of spreads: [Spread],
        _ resources: ResourceSet,
        _ reading: Reading
    ) throws(StorageError) {
        app = scope.app.id
        days = LatenessDays(reading.account)
        self.resources = resources
        self.percents = percents
        arrivals = ArrivalBuckets(scope, by: interval)
        hasEvents = spreads.map { $0.range != nil }
        var most = 1 << 16
        let open = hasEvents.count { $0 } * percents.count
        while most > 16, most * open > Self.slots { most /= 2 }
        for spread in spreads {
            for percent in percents {
                searches.append(
                    RankSearch(
                        percent: percent, of: spread.count, in: spread.range ?? 0...0,
                        slots: spread.range == nil ? 1 : most))
            }
        }
        guard open > 0 else { return }
        // Begins and ends, here and on each thread.
        let room = HeldBytes(
            reading.account, open * most * 2 * (reading.threads + 1) * MemoryLayout<Int>.stride)
        defer { withExtendedLifetime(room) {} }
        try countHeads(reading)
        narrow()
        let ranges = searches.map(\.range)
        let unclear = leaveOut(below: ranges)
        while searches.contains(where: \.isOpen) {
            try count(unclear, ranges, reading)
            narrow()
        }
    }

    /// The value of a percentile in a bucket, by their places, in milliseconds; nil without events.
    func rank(_ place: Int, in bucket: Int) -> Int64? {
        hasEvents[bucket] ? searches[bucket * percents.count + place].range.lowerBound : nil
    }

    private mutating func narrow() {
        for place in searches.indices { searches[place].narrow() }
    }

    /// What a thread has counted of heads.
    private struct Heads: ReportShare {
        var days: LatenessDays
        var searches: [RankSearch]

        mutating func merge(_ other: Heads) {
            days.merge(other.days)
            for place in searches.indices { searches[place].merge(other.searches[place]) }
        }
    }

    private mutating func countHeads(_ reading: Reading) throws(StorageError) {
        let list = try reading.segmentList(of: app, EventList.always)
        let none = Heads(days: LatenessDays(reading.account), searches: searches)
        let (allResources, width, allArrivals) = (resources, percents.count, arrivals)
        let heads = try reading.inParallel { () throws(StorageError) in
            var heads = none
            var arrivals = allArrivals
            var resources = allResources
            var scan = SegmentScan(list, [])
            while try scan.next() {
                let arrival = scan.part.arrival
                guard try resources.contains(scan.part.resource),
                    let bucket = arrivals.place(of: arrival)
                else { continue }
                let count = scan.part.count
                let lateness = Self.range(arrival, scan.part.first, scan.part.last)
                heads.days.add(count, between: lateness, day: scan.part.day, bucket: bucket)
                for place in bucket &* width..<bucket &* width &+ width {
                    heads.searches[place].add(count, between: lateness)
                }
            }
            return heads
        }
        (days, searches) = (heads.days, heads.searches)
    }

    /// Leaves out, from now on, days of which all lies below the range of a search.
    /// - Returns: the days that reach into the range of one
    private mutating func leaveOut(below ranges: [ClosedRange<Int64>]) -> UnclearDays {
        var unclear = UnclearDays()
        for day in days.all {
            let first = day.bucket * percents.count
            for place in first..<first + percents.count where searches[place].isOpen {
                if day.range.upperBound < ranges[place].lowerBound {
                    searches[place].leaveOut(day.count)
                } else if day.range.lowerBound <= ranges[place].upperBound {
                    unclear.insert(day: day.day)
                }
            }
        }
        return unclear
    }

    /// Counts what the days have that reach into these ranges: the parts below as a whole, of the
    /// others the events one by one.
    private mutating func count(
        _ unclear: UnclearDays, _ ranges: [ClosedRange<Int64>], _ reading: Reading
    ) throws(StorageError) {
        try unclear.forEach(of: app, reading) { (part) throws(StorageError) in
            let arrival = part.arrival
            guard try resources.contains(part.resource), let bucket = arrivals.place(of: arrival)
            else { return }
            let lateness = Self.range(arrival, part.first, part.last)
            let day = days.range(day: part.day, bucket: bucket)
            let first = bucket &* percents.count
            for place in first..<first &+ percents.count where searches[place].isOpen {
                // Left out already with its day, or above.
                if day.upperBound < ranges[place].lowerBound
                    || lateness.lowerBound > ranges[place].upperBound
                {
                    continue
                }
                if lateness.upperBound < ranges[place].lowerBound {
                    searches[place].addBelow(part.count)
                } else {
                    part.readTimes()
                    searches[place].add(arrival, minus: part.times, part.count)
                }
            }
        }
    }

    /// Arrival − time of the latest and of the earliest of some events, milliseconds.
    private static func range(
        _ arrival: Int64, _ first: Int64, _ last: Int64
    ) -> ClosedRange<Int64> {
        // In the order that they should have, also where what is stored is damaged.
        let (a, b) = (arrival &- last, arrival &- first)
        return min(a, b)...max(a, b)
    }
}
