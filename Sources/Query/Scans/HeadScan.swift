import Columns
import Database
import Storage
import TimeZones

/// Scans the parts of a range of days that match a filter. For most parts the head suffices; it
/// reads the events of the others.
struct HeadScan {
    private let app: Int64
    private let zone: TimeZoneRules
    private let from, to: CivilDate
    private let resources: ResourceSet

    /// A scan of the days `from` to `to` in the zone of a question, with its filters or with
    /// others. Throws what the database throws.
    init(
        _ scope: QueryScope, from: CivilDate, to: CivilDate, filter: ResourceFilter? = nil,
        _ reading: Reading
    ) throws(StorageError) {
        app = scope.app.id
        zone = scope.zone
        (self.from, self.to) = (from, to)
        resources = try ResourceSet(filter ?? scope.filter, reading)
    }

    /// What a thread has made of heads, and the days of parts for which they do not suffice.
    struct Heads<Share: HeadShare>: ReportShare {
        var share: Share
        private let range: ClosedRange<Int>
        private var days: LocalDays
        private var resources: ResourceSet
        private var heads: [PartHead] = []
        fileprivate private(set) var unclear = UnclearDays()

        fileprivate init(_ share: Share, _ scan: HeadScan) {
            self.share = share
            range = scan.from.number...scan.to.number
            days = scan.days
            resources = scan.resources
        }

        /// Adds all parts of a scan's current segment. Throws what the database throws.
        @inline(__always)
        mutating func add(_ scan: inout SegmentScan) throws(StorageError) {
            try scan.readHeads(into: &heads)
            for part in heads where try resources.contains(part.resource) {
                if try !share.add(part, &days, within: range) { unclear.insert(day: scan.part.day) }
            }
        }

        mutating func merge(_ other: Heads) throws(StorageError) {
            try share.merge(other.share)
            unclear.merge(other.unclear)
        }
    }

    private var days: LocalDays { LocalDays(zone, from: from, to: to) }

    /// What a thread begins with that goes through the segments of the days itself; all of them have to be
    /// merged and finished.
    /// - Parameter empty: the share it begins with
    func begin<Share: HeadShare>(_ empty: Share) -> Heads<Share> { Heads(empty, self) }

    /// Adds the events of parts for which heads do not suffice. Throws what the database throws.
    func finish<Share: HeadShare>(
        _ heads: Heads<Share>, _ reading: Reading
    ) throws(StorageError) -> Share {
        var share = heads.share
        var days = days
        var resources = resources
        let range = from.number...to.number
        try heads.unclear.forEach(of: app, reading) { (part) throws(StorageError) in
            if try resources.contains(part.resource) {
                try share.add(eventsOf: &part, &days, within: range)
            }
        }
        return share
    }

    /// Collects the parts on all threads, each with a share of its own. Throws what the database
    /// throws.
    /// - Parameter empty: the share each thread begins with
    func collect<Share: HeadShare>(
        _ empty: Share, _ reading: Reading
    ) throws(StorageError) -> Share {
        let list = try reading.segmentList(of: app, zone.window(from: from, to: to))
        let none = begin(empty)
        let heads = try reading.inParallel { () throws(StorageError) in
            var heads = none
            var scan = SegmentScan(list, [])
            while try scan.nextSegment() { try heads.add(&scan) }
            return heads
        }
        return try finish(heads, reading)
    }
}

/// A share made from the parts of a `HeadScan`. A type and not a closure: some reports do little
/// else than these calls, and the compiler inlines them.
protocol HeadShare: ReportShare {
    /// Adds a part by its head. Throws what the database throws.
    /// - Parameter range: numbers of the days
    /// - Returns: false where the head does not suffice: then the scan adds its events
    mutating func add(
        _ part: PartHead, _ days: inout LocalDays, within range: ClosedRange<Int>
    ) throws(StorageError) -> Bool

    /// Adds a part by its events, whose times it may read. The scan also passes the other parts of
    /// the same days, so this has to check the head again. Throws what the database throws.
    mutating func add(
        eventsOf part: inout SegmentReader, _ days: inout LocalDays, within range: ClosedRange<Int>
    ) throws(StorageError)
}
