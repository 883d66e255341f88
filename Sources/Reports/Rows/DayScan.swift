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

    /// Calls `body` with device, resource (row ids) and day (number) of every event of these days,
    /// once at least for each three of them, in no order. Throws what the database throws.
    func forEach(
        _ reading: Reading, _ body: (_ device: Int64, _ resource: Int64, _ day: Int) -> Void
    ) throws(StorageError) {
        var days = LocalDays(zone, from: from, to: to)
        let range = from.number...to.number
        var unclear = UnclearDays()
        var scan = try reading.segments(of: app, zone.window(from: from, to: to), [])
        while try scan.next() {
            guard resources.contains(scan.part.resource) else { continue }
            guard let span = days.days(of: scan.part) else {
                unclear.insert(scan.part)
                continue
            }
            for day in span where range.contains(day) {
                body(scan.part.device, scan.part.resource, day)
            }
        }
        try unclear.forEach(of: app, reading) { part in
            guard resources.contains(part.resource), days.days(of: part) == nil else { return }
            part.readTimes()
            var last: Int?
            for place in 0..<part.count {
                guard let day = days.day(at: part.times[place]), day != last else { continue }
                last = day
                if range.contains(day) { body(part.device, part.resource, day) }
            }
        }
    }
}

extension LocalDays {
    /// The local days on which a part has events, where its first and last time tell.
    mutating func days(of part: borrowing SegmentReader) -> ClosedRange<Int>? {
        guard let days = days(from: part.first, to: part.last), days.count <= 2 else { return nil }
        return days
    }
}
