/// `lengths`: nine classes of sessions' durations.
struct LengthsTally: Tally {
    /// Where classes begin, seconds.
    private static let edges = [0, 3, 10, 30, 60, 180, 600, 1800, 3600]

    /// Sessions and devices of a class, surely and perhaps.
    private struct Count {
        var sessions = Bounds()
        var devices = Bounds()
    }

    private struct Bounds {
        var low = 0
        var high = 0

        mutating func add(_ other: Bounds) {
            low += other.low
            high += other.high
        }
    }

    private var counts = Array(repeating: Count(), count: edges.count)
    private var total = 0

    mutating func add(_ view: DeviceView, _ names: inout Names) {
        var sure: Set<Int> = []
        var perhaps: Set<Int> = []
        for session in view.keptSessions {
            total += 1
            let classes =
                Self.class(
                    of: session.duration.low)...Self.class(
                    of: session.duration.high)
            for number in classes { counts[number].sessions.high += 1 }
            perhaps.formUnion(classes)
            guard classes.count == 1 else { continue }
            counts[classes.lowerBound].sessions.low += 1
            sure.insert(classes.lowerBound)
        }
        guard !view.device.isShared else { return }
        for number in sure { counts[number].devices.low += 1 }
        for number in perhaps { counts[number].devices.high += 1 }
    }

    private static func `class`(of duration: Int64) -> Int {
        (edges.lastIndex { Int64($0) * 1000 <= duration }) ?? 0
    }

    mutating func merge(_ other: LengthsTally, _ renaming: Renaming) {
        total += other.total
        for (number, count) in other.counts.enumerated() {
            counts[number].sessions.add(count.sessions)
            counts[number].devices.add(count.devices)
        }
    }

    func answer(_ names: Names) -> Answer {
        var answer = Answer(
            columns: ["at_least", "below", "sessions", "share", "devices"], keyCount: 2)
        answer.rows = Self.edges.indices.map { number in
            let (sessions, devices) = (counts[number].sessions, counts[number].devices)
            let isLast = number == Self.edges.count - 1
            return [
                .count(Self.edges[number]), isLast ? .missing : .count(Self.edges[number + 1]),
                .count(from: sessions.low, to: sessions.high),
                .share(from: sessions.low, to: sessions.high, of: total),
                .count(from: devices.low, to: devices.high),
            ]
        }
        return answer
    }
}
