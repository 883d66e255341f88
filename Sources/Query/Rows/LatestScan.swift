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

    /// Adds each part with an event in the range: device and resource (row ids), time of its latest such
    /// event in milliseconds. Throws what the database throws.
    /// - Parameter empty: what each thread begins with
    func collect<Share: ReportShare>(
        _ empty: Share, _ reading: Reading,
        _ add:
            @escaping @Sendable (
                _ share: inout Share, _ device: Int64, _ resource: Int64, _ time: Int64
            ) throws(StorageError) -> Void
    ) throws(StorageError) -> Share {
        let range = parts.from.number...parts.to.number
        return try parts.collect(empty, reading) { (share, part, days) throws(StorageError) in
            guard let day = days.day(at: part.last), range.contains(day) else { return false }
            try add(&share, part.device, part.resource, part.last)
            return true
        } events: { (share, part, days) throws(StorageError) in
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
            if let latest { try add(&share, part.device, part.resource, latest) }
        }
    }
}
