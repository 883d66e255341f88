/// `hours`: the 168 hours of a week.
struct HoursTally: Tally {
    private var events = [Int](repeating: 0, count: 168)
    private var devices = [Int](repeating: 0, count: 168)
    private var sessions = [Int](repeating: 0, count: 168)

    mutating func add(_ view: DeviceView, _ names: inout Names) {
        var seen = [Bool](repeating: view.device.isShared, count: 168)
        for event in view.device.events where view.isKept(event) {
            let hour = Int(event.hour)
            events[hour] += 1
            if !seen[hour] {
                seen[hour] = true
                devices[hour] += 1
            }
        }
        for session in view.keptSessions { sessions[Int(session.first.hour)] += 1 }
    }

    mutating func merge(_ other: HoursTally, _ renaming: Renaming) {
        events.add(other.events)
        devices.add(other.devices)
        sessions.add(other.sessions)
    }

    func answer(_ names: Names) -> Answer {
        var answer = Answer(
            columns: ["weekday", "hour", "events", "devices", "sessions"], keyCount: 2)
        answer.rows = events.indices.map { hour in
            [
                .count(hour / 24 + 1), .count(hour % 24), .count(events[hour]),
                .count(devices[hour]), .count(sessions[hour]),
            ]
        }
        return answer
    }
}
