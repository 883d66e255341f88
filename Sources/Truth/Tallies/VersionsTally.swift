import TimeZones

/// `versions`: each device under the value of its latest event.
struct VersionsTally: Tally {
    private let dimension: Dimension
    private let dates: Dates
    private var groups = Groups<Count>()

    private struct Count: Mergeable {
        var devices = 0
        var sessions = 0
        var new = 0

        mutating func merge(_ other: Count) {
            devices += other.devices
            sessions += other.sessions
            new += other.new
        }
    }

    init(_ dimension: Dimension, by interval: Interval?, _ calendar: ReportCalendar) {
        self.dimension = dimension
        dates = Dates(interval, calendar)
    }

    mutating func add(_ view: DeviceView, _ names: inout Names) {
        for session in view.keptSessions {
            let value = view.value(dimension, of: session.first)
            groups[dates.bucket(of: session.first), value].sessions += 1
        }
        guard let first = view.device.firstSeen else { return }
        var latest: [Int: (time: Int64, value: NameID)] = [:]
        for event in view.device.events where view.isKept(event) {
            let value = view.value(dimension, of: event)
            let bucket = dates.bucket(of: event)
            if let old = latest[bucket], old.time == event.time, !names.precedes(old.value, value) {
                continue
            }
            latest[bucket] = (event.time, value)
        }
        for (bucket, last) in latest {
            let key = GroupKey(bucket: Int32(bucket), name: last.value)
            groups[key].devices += 1
            if first.isInRange, dates.bucket(of: first) == bucket { groups[key].new += 1 }
        }
    }

    mutating func merge(_ other: VersionsTally, _ renaming: Renaming) {
        groups.merge(other.groups, renaming)
    }

    func answer(_ names: Names) -> Answer {
        var devices: [Int: Int] = [:]
        for (key, count) in groups.values { devices[Int(key.bucket), default: 0] += count.devices }
        let rows = groups.ranked(names, by: \.devices).map { row -> [Figure] in
            let count = row.value
            return dates.cells(row.bucket) + [
                names.figure(row.name), .count(count.devices),
                .ratio(count.devices, devices[row.bucket] ?? 0), .count(count.sessions),
                .count(count.new),
            ]
        }
        return Answer(
            columns: dates.columns + ["value", "devices", "share", "sessions", "new"],
            keyCount: dates.columns.count + 1, rows: rows)
    }
}
