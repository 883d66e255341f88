import Storage

/// When devices had events last within a range. It looks at events only where it must: a batch's last
/// time is the time of an event.
struct LatestScan {
    private let question: Question
    private let resources: ResourceSet

    /// For the range and the filters of a question.
    init(_ question: Question, _ reading: Reading) throws(StorageError) {
        self.question = question
        resources = try ResourceSet(question.filter, reading)
    }

    /// Calls `body` for each batch with an event in the range: device and resource (row ids), time
    /// of its latest such event in milliseconds. Throws what the database throws.
    func forEach(
        _ reading: Reading, _ body: (_ device: Int64, _ resource: Int64, _ time: Int64) -> Void
    ) throws(StorageError) {
        var days = LocalDays(question.zone, from: question.from, to: question.to)
        let range = question.from.number...question.to.number
        let events = try reading.prepare(
            "SELECT late FROM event WHERE id >= ?1 << 13 AND id < (?1 + 1) << 13")
        let batches = try reading.prepare(BatchWindow.select)
        try batches.bind(
            app: question.app.id,
            window: question.zone.window(from: question.from, to: question.to))
        while try batches.step() {
            guard resources.contains(batches.int(2)) else { continue }
            let last = batches.int(4)
            if let day = days.day(at: last), range.contains(day) {
                body(batches.int(1), batches.int(2), last)
                continue
            }
            try events.bind(1, batches.int(0))
            var latest: Int64?
            while try events.step() {
                let time = batches.int(6) &- events.int(0)
                guard latest.map({ time > $0 }) ?? true, let day = days.day(at: time),
                    range.contains(day)
                else { continue }
                latest = time
            }
            events.reset()
            if let latest { body(batches.int(1), batches.int(2), latest) }
        }
    }
}
