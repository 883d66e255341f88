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

    /// Adds device, resource (row ids) and day (number) of every event of these days, once at least for
    /// each three of them, in no order. Throws what the database throws.
    /// - Parameter empty: what each thread begins with
    func collect<Share: ReportShare>(
        _ empty: Share, _ reading: Reading,
        _ add:
            @escaping @Sendable (
                _ share: inout Share, _ device: Int64, _ resource: Int64, _ day: Int
            ) throws(StorageError) -> Void
    ) throws(StorageError) -> Share {
        let range = parts.from.number...parts.to.number
        return try parts.collect(empty, reading) { (share, part, days) throws(StorageError) in
            guard let span = days.known(from: part.first, to: part.last) else { return false }
            for day in span where range.contains(day) {
                try add(&share, part.device, part.resource, day)
            }
            return true
        } events: { (share, part, days) throws(StorageError) in
            guard days.known(from: part.first, to: part.last) == nil else { return }
            part.readTimes()
            var last: Int?
            for place in 0..<part.count {
                guard let day = days.day(at: part.times[place]), day != last else { continue }
                last = day
                if range.contains(day) { try add(&share, part.device, part.resource, day) }
            }
        }
    }
}

extension LocalDays {
    /// The local days on which a part has events, where the times of its first and its last one tell.
    fileprivate mutating func known(from first: Int64, to last: Int64) -> ClosedRange<Int>? {
        guard let days = days(from: first, to: last), days.count <= 2 else { return nil }
        return days
    }
}
