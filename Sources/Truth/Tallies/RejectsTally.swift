/// `rejects`, summed up over all that arrived: events that are too old, or ahead of time, alone.
struct RejectsTally: Tally {
    private let calendar: ReportCalendar
    private var events = 0
    private var arrival = Arrival()

    init(_ calendar: ReportCalendar) {
        self.calendar = calendar
    }

    mutating func add(_ view: DeviceView, _ names: inout Names) {
        for batch in view.device.told.batches {
            events += Int(batch.rejected)
            arrival.insert(batch.posted)
        }
    }

    mutating func merge(_ other: RejectsTally, _ renaming: Renaming) {
        events += other.events
        arrival.merge(other.arrival)
    }

    func answer(_ names: Names) -> Answer {
        var answer = Answer(columns: ["code", "batches", "events"], keyCount: 1)
        answer.isSum = true
        answer.parameters = arrival.parameters(calendar) + [Parameter("interval", "month")]
        if events > 0 {
            answer.rows = [[.text("time-out-of-range"), .count(0), .count(events)]]
        }
        return answer
    }
}
