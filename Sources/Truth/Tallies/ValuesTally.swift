import TimeZones

/// `values`: how a number of an event spreads, by date, by a filter's dimension or by another attribute.
struct ValuesTally: Tally {
    private let name: NameID
    private let number: String
    private let key: Key
    private let dates: Dates
    private var groups = Groups<Spread>()
    private var withoutNumber = 0

    /// What rows are named by.
    private enum Key: Sendable {
        case nothing
        case dimension(Dimension)
        case attribute(String)
    }

    init(
        name: String, of number: String, by key: String?, interval: Interval?,
        _ calendar: ReportCalendar, _ names: inout Names
    ) {
        self.name = names.id(of: name)
        self.number = number
        self.key =
            key.map { key in Dimension(rawValue: key).map { .dimension($0) } ?? .attribute(key) }
            ?? .nothing
        dates = Dates(interval, calendar)
        guard case .nothing = self.key else { return }
        // Every bucket has a row.
        for bucket in dates.buckets.indices { groups[bucket, noName].merge(Spread()) }
    }

    mutating func add(_ view: DeviceView, _ names: inout Names) {
        for event in view.device.events where event.name == name && view.isKept(event) {
            guard let value = view.device.value(number, of: event)?.asNumber else {
                withoutNumber += 1
                continue
            }
            let row: NameID =
                switch key {
                case .nothing: noName
                case .dimension(let dimension): view.value(dimension, of: event)
                case .attribute(let attribute):
                    view.device.value(attribute, of: event).map { names.id(of: $0.asText) }
                        ?? noName
                }
            groups[dates.bucket(of: event), row].insert(value, of: view.device)
        }
    }

    mutating func merge(_ other: ValuesTally, _ renaming: Renaming) {
        groups.merge(other.groups, renaming)
        withoutNumber += other.withoutNumber
    }

    func answer(_ names: Names) -> Answer {
        let isNamed = if case .nothing = key { false } else { true }
        let keys = dates.columns + (isNamed ? ["value"] : [])
        var answer = Answer(
            columns: keys + [
                "count", "devices", "sum", "mean", "min", "p50", "p90", "p95", "p99", "max",
            ], keyCount: keys.count)
        answer.members = [Figure.Member(name: "without_number", figure: .count(withoutNumber))]
        answer.rows = groups.ranked(names, by: \.count).map { row in
            dates.cells(row.bucket) + (isNamed ? [names.figure(row.name)] : []) + row.value.figures
        }
        return answer
    }
}
