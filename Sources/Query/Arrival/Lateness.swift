import Database
import Storage
import TimeZones

/// How late events were, by the bucket in which their batches arrived: exact nearest ranks
/// (docs/reports.md, quality), in memory that does not grow with the events. The heads of parts
/// bound the value of each rank; it reads times only on days that overlap these bounds.
struct Lateness {
    /// What the batches of a bucket say about it.
    struct Spread {
        /// How many events the batches have.
        private(set) var count = 0
        /// The least and the greatest arrival − time, in milliseconds; nil without events.
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

    /// The most counters that all searches of a thread may have together, for lower and for upper
    /// bounds.
    private static let maxSlots = 1 << 18

    private let app: Int64
    private var resources: ResourceSet
    private var arrivals: ArrivalBuckets
    private let percents: [Int]
    /// Bucket by bucket, each in the order of `percents`.
    private var searches: [RankSearch] = []
    private let hasEvents: [Bool]
    private var days: LatenessDays

    /// Computes the ranks over the batches that match the filters of a question. Throws what the
    /// database throws, `damaged`, and if the report has to end.
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
        var slots = 1 << 16
        let open = hasEvents.count { $0 } * percents.count
        while slots > 16, slots * open > Self.maxSlots { slots /= 2 }
        for spread in spreads {
            for percent in percents {
                searches.append(
                    RankSearch(
                        percent: percent, of: spread.count, in: spread.range ?? 0...0,
                        slots: spread.range == nil ? 1 : slots))
            }
        }
        guard open > 0 else { return }
        // Lower and upper bounds, here and on each thread.
        let room = HeldBytes(
            reading.account, open * slots * 2 * (reading.threads + 1) * MemoryLayout<Int>.stride)
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

    /// The value of a percentile in a bucket, by their indices, in milliseconds; nil without
    /// events.
    func rank(_ index: Int, in bucket: Int) -> Int64? {
        hasEvents[bucket] ? searches[bucket * percents.count + index].range.lowerBound : nil
    }

    private mutating func narrow() {
        for index in searches.indices { searches[index].narrow() }
    }

    /// What a thread has counted by the heads of parts.
    private struct Heads: ReportShare {
        var days: LatenessDays
        var searches: [RankSearch]

        mutating func merge(_ other: Heads) {
            days.merge(other.days)
            for index in searches.indices { searches[index].merge(other.searches[index]) }
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
                    let bucket = arrivals.index(of: arrival)
                else { continue }
                let count = scan.part.count
                let lateness = Self.range(arrival, scan.part.first, scan.part.last)
                heads.days.add(count, between: lateness, day: scan.part.day, bucket: bucket)
                for index in bucket &* width..<bucket &* width &+ width {
                    heads.searches[index].add(count, between: lateness)
                }
            }
            return heads
        }
        (days, searches) = (heads.days, heads.searches)
    }

    /// Leaves out of each search, from now on, the days that lie below its range as a whole.
    /// - Returns: the days that overlap the range of a search
    private mutating func leaveOut(below ranges: [ClosedRange<Int64>]) -> UnclearDays {
        var unclear = UnclearDays()
        for day in days.all {
            let first = day.bucket * percents.count
            for index in first..<first + percents.count where searches[index].isOpen {
                if day.range.upperBound < ranges[index].lowerBound {
                    searches[index].leaveOut(day.count)
                } else if day.range.lowerBound <= ranges[index].upperBound {
                    unclear.insert(day: day.day)
                }
            }
        }
        return unclear
    }

    /// Counts the parts of these days: those below a range as a whole, the events of the others one
    /// by one.
    private mutating func count(
        _ unclear: UnclearDays, _ ranges: [ClosedRange<Int64>], _ reading: Reading
    ) throws(StorageError) {
        try unclear.forEach(of: app, reading) { (part) throws(StorageError) in
            let arrival = part.arrival
            guard try resources.contains(part.resource), let bucket = arrivals.index(of: arrival)
            else { return }
            let lateness = Self.range(arrival, part.first, part.last)
            let day = days.range(day: part.day, bucket: bucket)
            let first = bucket &* percents.count
            for index in first..<first &+ percents.count where searches[index].isOpen {
                // It was left out with its day, or lies above.
                if day.upperBound < ranges[index].lowerBound
                    || lateness.lowerBound > ranges[index].upperBound
                {
                    continue
                }
                if lateness.upperBound < ranges[index].lowerBound {
                    searches[index].addBelow(part.count)
                } else {
                    part.readTimes()
                    searches[index].add(arrival, minus: part.times, part.count)
                }
            }
        }
    }

    /// Arrival − time of the latest and of the earliest of some events, in milliseconds.
    private static func range(
        _ arrival: Int64, _ first: Int64, _ last: Int64
    ) -> ClosedRange<Int64> {
        // A damaged file may have them in the wrong order, and a range must not.
        let (a, b) = (arrival &- last, arrival &- first)
        return min(a, b)...max(a, b)
    }
}
