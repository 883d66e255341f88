import TimeZones

/// `events`: by name, and by date where there is an interval.
struct EventNamesTally: Tally {
    private let dates: Dates
    private var groups = Groups<EventCount>()

    init(by interval: Interval?, _ calendar: ReportCalendar) {
        dates = Dates(interval, calendar)
    }

    mutating func add(_ view: DeviceView, _ names: inout Names) {
        for event in view.device.events where view.isKept(event) {
            groups[dates.bucket(of: event), event.name].insert(of: view.device)
        }
    }

    mutating func merge(_ other: EventNamesTally, _ renaming: Renaming) {
        groups.merge(other.groups, renaming)
    }

    func answer(_ names: Names) -> Answer {
        let rows = groups.ranked(names, by: \.events).map { row in
            dates.cells(row.bucket) + [names.figure(row.name)] + row.value.figures
        }
        return Answer(
            columns: dates.columns + ["name", "events", "devices"],
            keyCount: dates.columns.count + 1, rows: rows)
    }
}
