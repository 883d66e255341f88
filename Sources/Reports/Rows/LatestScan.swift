import Storage

/// When devices had events last within a range. It looks at events only where it must: a part's last
/// time is the time of an event.
struct LatestScan {
    private let question: Question
    private let resources: ResourceSet

    /// For the range and the filters of a question.
    init(_ question: Question, _ reading: Reading) throws(StorageError) {
        self.question = question
        resources = try ResourceSet(question.filter, reading)
    }

    /// Adds each part with an event in the range: device and resource (row ids), time of its latest such
    /// event in milliseconds. Throws what the database throws.
    /// - Parameter empty: what each thread begins with
    func collect<Share: ReportShare>(
        _ empty: Share, _ reading: Reading,
        _ add:
            @escaping @Sendable (
                _ share: inout Share, _ device: Int64, _ resource: Int64, _ time: Int64
            ) -> Void
    ) throws(StorageError) -> Share {
        let firstDays = LocalDays(question.zone, from: question.from, to: question.to)
        let range = question.from.number...question.to.number
        let list = try reading.segmentList(
            of: question.app.id, question.zone.window(from: question.from, to: question.to))
        let resources = resources
        var made = try reading.shared { () throws(StorageError) in
            var part = PartShare(share: empty)
            var days = firstDays
            var scan = SegmentScan(list, [])
            while try scan.next() {
                guard resources.contains(scan.part.resource) else { continue }
                if let day = days.day(at: scan.part.last), range.contains(day) {
                    add(&part.share, scan.part.device, scan.part.resource, scan.part.last)
                } else {
                    part.unclear.insert(scan.part)
                }
            }
            return part
        }
        var days = firstDays
        try made.unclear.forEach(of: question.app.id, reading) { part in
            guard resources.contains(part.resource) else { return }
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
            if let latest { add(&made.share, part.device, part.resource, latest) }
        }
        return made.share
    }
}
