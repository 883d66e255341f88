import Storage

/// On which local days which devices had events. It looks at an event only where it must: a part's
/// first and last time are times of events, so that one of one or two days is known by them.
struct DayScan {
    private let app: Int64
    private let from, to: CivilDate
    private let zone: TimeZoneRules
    private let resources: ResourceSet

    /// For the days `from` to `to` in the zone of a question, with its filters or with others.
    init(
        _ question: Question, from: CivilDate, to: CivilDate, filter: ResourceFilter? = nil,
        _ reading: Reading
    ) throws(StorageError) {
        app = question.app.id
        (self.from, self.to) = (from, to)
        zone = question.zone
        resources = try ResourceSet(filter ?? question.filter, reading)
    }

    /// Adds device, resource (row ids) and day (number) of every event of these days, once at least for
    /// each three of them, in no order. Throws what the database throws.
    /// - Parameter empty: what each thread begins with
    func collect<Share: ReportShare>(
        _ empty: Share, _ reading: Reading,
        _ add:
            @escaping @Sendable (
                _ share: inout Share, _ device: Int64, _ resource: Int64, _ day: Int
            ) -> Void
    ) throws(StorageError) -> Share {
        let list = try reading.segmentList(of: app, zone.window(from: from, to: to))
        let range = from.number...to.number
        let firstDays = LocalDays(zone, from: from, to: to)
        let resources = resources
        var made = try reading.shared { () throws(StorageError) in
            var part = PartShare(share: empty)
            var days = firstDays
            var scan = SegmentScan(list, [])
            while try scan.next() {
                guard resources.contains(scan.part.resource) else { continue }
                guard let span = days.days(of: scan.part) else {
                    part.unclear.insert(scan.part)
                    continue
                }
                for day in span where range.contains(day) {
                    add(&part.share, scan.part.device, scan.part.resource, day)
                }
            }
            return part
        }
        var days = firstDays
        try made.unclear.forEach(of: app, reading) { part in
            guard resources.contains(part.resource), days.days(of: part) == nil else { return }
            part.readTimes()
            var last: Int?
            for place in 0..<part.count {
                guard let day = days.day(at: part.times[place]), day != last else { continue }
                last = day
                if range.contains(day) { add(&made.share, part.device, part.resource, day) }
            }
        }
        return made.share
    }
}

extension LocalDays {
    /// The local days on which a part has events, where its first and last time tell.
    mutating func days(of part: borrowing SegmentReader) -> ClosedRange<Int>? {
        guard let days = days(from: part.first, to: part.last), days.count <= 2 else { return nil }
        return days
    }
}
