import Storage

/// On which local days which devices had events. It looks at an event only where it must: a batch's
/// first and last time are times of events, so that a batch of one or two days is known by them.
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
        let events = try reading.prepare(
            "SELECT late FROM event WHERE id >= ?1 << 13 AND id < (?1 + 1) << 13")
        let batches = try reading.prepare(BatchWindow.select)
        try batches.bind(app: app, window: zone.window(from: from, to: to))
        while try batches.step() {
            let resource = batches.int(2)
            guard resources.contains(resource) else { continue }
            let device = batches.int(1)
            if let span = days.days(from: batches.int(3), to: batches.int(4)), span.count <= 2 {
                for day in span where range.contains(day) { body(device, resource, day) }
                continue
            }
            try events.bind(1, batches.int(0))
            var last: Int?
            while try events.step() {
                guard let day = days.day(at: batches.int(6) &- events.int(0)), day != last else {
                    continue
                }
                last = day
                if range.contains(day) { body(device, resource, day) }
            }
            events.reset()
        }
    }
}
