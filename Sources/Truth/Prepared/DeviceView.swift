/// A device as a filter sees it.
struct DeviceView: Sendable {
    let device: PreparedDevice
    /// By index of a batch: whether its events pass the filter.
    let passing: [Bool]

    init(device: PreparedDevice, passing: [Bool]) {
        self.device = device
        self.passing = passing
    }

    /// What a filter keeps of a device: all of it, where the filter is known only at the end.
    init(_ device: PreparedDevice, _ filter: Filter, _ names: inout Names) {
        self.device = device
        guard case .only(let dimension, let value) = filter else {
            passing = Array(repeating: true, count: device.batches.count)
            return
        }
        let wanted = names.id(of: value)
        passing = device.batches.map { $0.values[dimension.index] == wanted }
    }

    func passes(_ event: PreparedEvent) -> Bool { passing[Int(event.batch)] }

    /// In the range and in the filter.
    func isKept(_ event: PreparedEvent) -> Bool { event.isInRange && passes(event) }

    /// The sessions that started in the range, of a resource that passes.
    var keptSessions: [PreparedSession] { device.sessions.filter { isKept($0.first) } }

    /// What the batch of an event says.
    func value(_ dimension: Dimension, of event: PreparedEvent) -> NameID {
        device.batches[Int(event.batch)].values[dimension.index]
    }

    /// The earliest event of a device that counts, if it passes and lies in the range.
    var keptFirstSeen: PreparedEvent? { device.firstSeen.flatMap { isKept($0) ? $0 : nil } }

    /// The numbers of the days with an event, in order, each once; in the range or not.
    /// - Parameter all: events that do not pass the filter, too
    func activeDays(all: Bool = false) -> [Int32] {
        var days: [Int32] = []
        for event in device.events
        where event.day != ReportCalendar.noDay && event.day != days.last && (all || passes(event))
        {
            days.append(event.day)
        }
        // Where clocks are set back over midnight a day comes again.
        guard zip(days, days.dropFirst()).contains(where: { $0 >= $1 }) else { return days }
        return Set(days).sorted()
    }
}
