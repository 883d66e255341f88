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
    private struct Heads<Share: HeadShare>: ReportShare {
        var share: Share
        var unclear = UnclearDays()

        mutating func merge(_ other: Heads) throws(StorageError) {
            try share.merge(other.share)
            unclear.merge(other.unclear)
        }
    }

    /// Collects the parts on all threads, each with a share of its own. Throws what the database
    /// throws.
    /// - Parameter empty: the share each thread begins with
    func collect<Share: HeadShare>(
        _ empty: Share, _ reading: Reading
    ) throws(StorageError) -> Share {
        let list = try reading.segmentList(of: app, zone.window(from: from, to: to))
        let firstDays = LocalDays(zone, from: from, to: to)
        let allResources = resources
        let range = from.number...to.number
        var made = try reading.inParallel { () throws(StorageError) in
            var made = Heads(share: empty)
            var days = firstDays
            var resources = allResources
            var scan = SegmentScan(list, [])
            var heads: [PartHead] = []
            while try scan.nextHeads(into: &heads) {
                for part in heads where try resources.contains(part.resource) {
                    if try !made.share.add(part, &days, within: range) {
                        made.unclear.insert(day: scan.part.day)
                    }
                }
            }
            return made
        }
        var days = firstDays
        var resources = allResources
        try made.unclear.forEach(of: app, reading) { (part) throws(StorageError) in
            if try resources.contains(part.resource) {
                try made.share.add(eventsOf: &part, &days, within: range)
            }
        }
        return made.share
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
