import Columns
import Database
import Storage
import TimeZones

/// On which local days which devices had events. It looks at an event only where it must: a part's
/// first and last time are times of events, so that one of one or two days is known by them.
struct DayScan {
    private let parts: HeadScan

    /// For the days `from` to `to` in the zone of a question, with its filters or with others.
    init(
        _ scope: QueryScope, from: CivilDate, to: CivilDate, filter: ResourceFilter? = nil,
        _ reading: Reading
    ) throws(StorageError) {
        parts = HeadScan(
            app: scope.app.id, zone: scope.zone, from: from, to: to,
            resources: try ResourceSet(filter ?? scope.filter, reading))
    }

    /// Has each thread add its days to a share of its own. Throws what the database throws.
    /// - Parameter empty: what each thread begins with
    func collect<Share: DayShare>(
        _ empty: Share, _ reading: Reading
    ) throws(StorageError) -> Share {
        let days = Days(share: empty, range: parts.from.number...parts.to.number)
        return try parts.collect(days, reading).share
    }

    private struct Days<Share: DayShare>: HeadShare {
        var share: Share
        let range: ClosedRange<Int>

        @inline(__always)
        mutating func add(
            _ part: PartHead, _ days: inout LocalDays
        ) throws(StorageError) -> Bool {
            guard let span = days.known(from: part.first, to: part.last) else { return false }
            for day in span where range.contains(day) {
                try share.add(day: day, of: part.device, part.resource)
            }
            return true
        }

        mutating func add(
            eventsOf part: inout SegmentReader, _ days: inout LocalDays
        ) throws(StorageError) {
            guard days.known(from: part.first, to: part.last) == nil else { return }
            part.readTimes()
            var last: Int?
            for place in 0..<part.count {
                guard let day = days.day(at: part.times[place]), day != last else { continue }
                last = day
                if range.contains(day) {
                    try share.add(day: day, of: part.device, part.resource)
                }
            }
        }

        mutating func merge(_ other: Days) throws(StorageError) { try share.merge(other.share) }
    }
}

/// What is made of the days of a `DayScan`.
protocol DayShare: ReportShare {
    /// Adds the day of an event: of each such day once at least for each three events, in no order.
    /// Throws what the database throws.
    /// - Parameters:
    ///   - day: its number
    ///   - device: row of the device
    ///   - resource: row of the batch's resource
    mutating func add(
        day: Int, of device: Int64, _ resource: Int64
    ) throws(StorageError)
}

extension LocalDays {
    /// The local days on which a part has events, where the times of its first and its last one tell.
    @inline(__always)
    fileprivate mutating func known(from first: Int64, to last: Int64) -> ClosedRange<Int>? {
        guard let days = days(from: first, to: last), days.count <= 2 else { return nil }
        return days
    }
}
