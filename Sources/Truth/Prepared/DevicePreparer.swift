/// Puts a device's events in order and makes its sessions.
struct DevicePreparer: Sendable {
    private var calendar: ReportCalendar
    private let timeout: Int64
    private let start: NameID
    private let end: NameID
    private let resume: NameID
    private var count: Int32 = 0

    init(_ calendar: ReportCalendar, _ names: inout Names) {
        self.calendar = calendar
        timeout = calendar.scope.sessionTimeout
        start = names.id(of: "session.start")
        end = names.id(of: "session.end")
        resume = names.id(of: "session.resume")
    }

    /// Prepares a device.
    mutating func prepare(_ told: ToldDevice, _ names: inout Names) -> PreparedDevice {
        let ranks = Self.ranks(of: told.batches)
        var events: [PreparedEvent] = []
        events.reserveCapacity(told.events.count)
        for (number, event) in told.events.enumerated() {
            let (day, hour) = calendar.place(event.time)
            let name = names.id(of: event.name)
            events.append(
                PreparedEvent(
                    name: name, time: event.time, day: day, hour: hour,
                    isInRange: calendar.isInRange(day), rank: rank(of: name),
                    batch: Int32(event.batch), index: Int32(event.index), told: Int32(number)))
        }
        let precedes = { (a: PreparedEvent, b: PreparedEvent) -> Bool in
            if a.time != b.time { return a.time < b.time }
            if a.batch != b.batch { return ranks[Int(a.batch)] < ranks[Int(b.batch)] }
            return a.index < b.index
        }
        events.sort(by: precedes)
        let batches = told.batches.map { batch in
            PreparedBatch(
                isCorrected: batch.isCorrected,
                values: Dimension.allCases.map { names.id(of: $0.value(in: batch.resource)) })
        }
        count += 1
        let bare = PreparedDevice(
            isShared: told.isShared, ordinal: count, batches: batches, events: events, sessions: [],
            told: told)
        return PreparedDevice(
            isShared: told.isShared, ordinal: count, batches: batches, events: events,
            sessions: sessions(of: bare), told: told)
    }

    /// Where each batch stands by the bytes of its id.
    private static func ranks(of batches: [ToldBatch]) -> [Int] {
        var ranks = [Int](repeating: 0, count: batches.count)
        let order = batches.indices.sorted {
            batches[$0].id.utf8.lexicographicallyPrecedes(batches[$1].id.utf8)
        }
        for (rank, batch) in order.enumerated() { ranks[batch] = rank }
        return ranks
    }

    private func rank(of name: NameID) -> UInt8 {
        switch name {
        case start: 0
        case end: 2
        case resume: 3
        default: 1
        }
    }

    private func sessions(of device: PreparedDevice) -> [PreparedSession] {
        var numbers: [ByteText: Int] = [:]
        var events: [[PreparedEvent]] = []
        // Neighbours are mostly of one session.
        var last: (id: ByteText, number: Int)?
        for event in device.events {
            guard let text = device.told.events[Int(event.told)].session else { continue }
            let id = ByteText(text: text)
            let number: Int
            if let last, last.id == id {
                number = last.number
            } else {
                number = numbers[id, default: events.count]
                last = (id, number)
            }
            if number == events.count {
                numbers[id] = number
                events.append([])
            }
            events[number].append(event)
        }
        return events.map { session($0, of: device) }
    }

    /// - Parameter ordered: its events, by time, within one millisecond by `batch_id` and index
    private func session(
        _ ordered: [PreparedEvent], of device: PreparedDevice
    ) -> PreparedSession {
        // What stands in order is not sorted again; an insertion keeps batches and indexes in order.
        var events = ordered
        for index in events.indices.dropFirst() {
            var position = index
            while position > 0, events[position - 1].time == events[position].time,
                events[position - 1].rank > events[position].rank
            {
                events.swapAt(position - 1, position)
                position -= 1
            }
        }
        var duration: Int64 = 0
        var changes = 0
        // Of gaps that are as long as the timeout, as far as is known.
        var perhaps: Int64 = 0
        var isForeground = true
        for (event, next) in zip(events, events.dropFirst()) {
            isForeground = self.isForeground(after: event, isForeground)
            if !isForeground { continue }
            let gap = next.time - event.time
            let slack = device.isExact(event, next) ? 0 : TruthScope.slack
            if gap <= timeout - slack {
                duration += gap
                changes += slack > 0 ? 1 : 0
            } else if gap <= timeout + slack {
                perhaps += timeout
            }
        }
        var time = BoundedTime(duration, changes: changes)
        time.high += perhaps
        return PreparedSession(
            first: events[0], duration: time,
            isClosed: !self.isForeground(after: events[events.count - 1], isForeground))
    }

    /// Whether the app is in the foreground after an event.
    private func isForeground(after event: PreparedEvent, _ before: Bool) -> Bool {
        switch event.name {
        case start, resume: true
        case end: false
        default: before
        }
    }
}
