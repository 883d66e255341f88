import Client
import TimeZones

/// `counters`: what counters went up by.
struct CountersTally: Tally {
    private let event: NameID
    private let dates: Dates
    private var groups = Groups<Count>()

    private struct Count: Mergeable {
        var total = 0
        var count = EventCount()

        mutating func merge(_ other: Count) {
            total += other.total
            count.merge(other.count)
        }
    }

    init(by interval: Interval?, _ calendar: ReportCalendar, _ names: inout Names) {
        event = names.id(of: "usage.counter")
        dates = Dates(interval, calendar)
    }

    mutating func add(_ view: DeviceView, _ names: inout Names) {
        for event in view.device.events where event.name == self.event && view.isKept(event) {
            guard let counter = view.device.text("counter.name", of: event) else { continue }
            let key = GroupKey(
                bucket: Int32(dates.bucket(of: event)), name: names.id(of: counter))
            groups[key].count.insert(of: view.device)
            if case .integer(let value) = view.device.value("counter.value", of: event) {
                groups[key].total += Int(value)
            } else {
                groups[key].total += 1
            }
        }
    }

    mutating func merge(_ other: CountersTally, _ renaming: Renaming) {
        groups.merge(other.groups, renaming)
    }

    func answer(_ names: Names) -> Answer {
        let rows = groups.ranked(names, by: \.total).map { row in
            dates.cells(row.bucket) + [names.figure(row.name), .count(row.value.total)]
                + row.value.count.figures
        }
        return Answer(
            columns: dates.columns + ["counter", "total", "increments", "devices"],
            keyCount: dates.columns.count + 1, rows: rows)
    }
}
