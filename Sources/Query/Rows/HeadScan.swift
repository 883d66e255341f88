import Columns
import Database
import Storage
import TimeZones

/// Parts of a range of days that a filter lets through. Of most of them the head tells enough; the events
/// of the others are looked at.
struct HeadScan {
    let app: Int64
    let zone: TimeZoneRules
    let from, to: CivilDate
    let resources: ResourceSet

    /// What a thread has made of heads, and the days of parts of which they do not tell.
    private struct Heads<Share: ReportShare>: ReportShare {
        var share: Share
        var unclear = UnclearDays()

        mutating func merge(_ other: Heads) throws(StorageError) {
            try share.merge(other.share)
            unclear.merge(other.unclear)
        }
    }

    /// Calls `head` with each part, and `events` with those where it returned false, which may read the
    /// times; `events` comes with other parts of their days too, for which it has to look at the head
    /// again. Throws what the database throws.
    /// - Parameter empty: what each thread begins with
    func collect<Share: ReportShare>(
        _ empty: Share, _ reading: Reading,
        head:
            @escaping @Sendable (
                _ share: inout Share, _ part: PartHead, _ days: inout LocalDays
            ) throws(StorageError) -> Bool,
        events:
            (inout Share, inout SegmentReader, inout LocalDays) throws(StorageError) -> Void
    ) throws(StorageError) -> Share {
        let list = try reading.segmentList(of: app, zone.window(from: from, to: to))
        let firstDays = LocalDays(zone, from: from, to: to)
        let allResources = resources
        var made = try reading.inParallel { () throws(StorageError) in
            var made = Heads(share: empty)
            var days = firstDays
            var resources = allResources
            var scan = SegmentScan(list, [])
            while try scan.next() {
                guard try resources.contains(scan.part.resource) else { continue }
                let part = PartHead(
                    device: scan.part.device, resource: scan.part.resource,
                    first: scan.part.first, last: scan.part.last)
                if try !head(&made.share, part, &days) { made.unclear.insert(day: scan.part.day) }
            }
            return made
        }
        var days = firstDays
        var resources = allResources
        try made.unclear.forEach(of: app, reading) { (part) throws(StorageError) in
            if try resources.contains(part.resource) { try events(&made.share, &part, &days) }
        }
        return made.share
    }
}
