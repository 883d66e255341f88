import Columns
import Database
import Storage
import TimeZones

/// When devices had events last within a range. It looks at events only where it must: a part's last
/// time is the time of an event.
struct LatestScan {
    private let parts: HeadScan

    /// For the range and the filters of a question.
    init(_ scope: QueryScope, _ reading: Reading) throws(StorageError) {
        parts = HeadScan(
            app: scope.app.id, zone: scope.zone, from: scope.from, to: scope.to,
            resources: try ResourceSet(scope.filter, reading))
    }

    /// Has each thread add its parts to a share of its own. Throws what the database throws.
    /// - Parameter empty: what each thread begins with
    func collect<Share: LatestShare>(
        _ empty: Share, _ reading: Reading
    ) throws(StorageError) -> Share {
        let latest = Latest(share: empty, range: parts.from.number...parts.to.number)
        return try parts.collect(latest, reading).share
    }

    private struct Latest<Share: LatestShare>: HeadShare {
        var share: Share
        let range: ClosedRange<Int>

        @inline(__always)
        mutating func add(
            _ part: PartHead, _ days: inout LocalDays
        ) throws(StorageError) -> Bool {
            guard let day = days.day(at: part.last), range.contains(day) else { return false }
            try share.add(latest: part.last, of: part.device, part.resource)
            return true
        }

        mutating func add(
            eventsOf part: inout SegmentReader, _ days: inout LocalDays
        ) throws(StorageError) {
            if let day = days.day(at: part.last), range.contains(day) { return }
            part.readTimes()
            var latest: Int64?
            for place in 0..<part.count {
                let time = part.times[place]
                guard latest.map({ time > $0 }) ?? true, let day = days.day(at: time),
                    range.contains(day)
                else { continue }
                latest = time
            }
            if let latest { try share.add(latest: latest, of: part.device, part.resource) }
        }

        mutating func merge(_ other: Latest) throws(StorageError) { try share.merge(other.share) }
    }
}

/// What is made of the parts of a `LatestScan`.
protocol LatestShare: ReportShare {
    /// Adds a part with an event in the range. Throws what the database throws.
    /// - Parameters:
    ///   - latest: time of its latest such event, milliseconds since 1970-01-01T00:00:00Z
    ///   - device: row of the device
    ///   - resource: row of the batch's resource
    mutating func add(
        latest: Int64, of device: Int64, _ resource: Int64
    ) throws(StorageError)
}
