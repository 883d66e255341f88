/// `events` with `name` and `by`: the values of an attribute.
struct EventValuesTally: Tally {
    private let name: NameID
    private let attribute: String
    private var groups = Groups<EventCount>()

    init(name: String, by attribute: String, _ names: inout Names) {
        self.name = names.id(of: name)
        self.attribute = attribute
    }

    mutating func add(_ view: DeviceView, _ names: inout Names) {
        for event in view.device.events where event.name == name && view.isKept(event) {
            let value = view.device.value(attribute, of: event).map { names.id(of: $0.asText) }
            groups[0, value ?? noName].insert(of: view.device)
        }
    }

    mutating func merge(_ other: EventValuesTally, _ renaming: Renaming) {
        groups.merge(other.groups, renaming)
    }

    func answer(_ names: Names) -> Answer {
        let rows = groups.ranked(names, by: \.events).map { row in
            [names.figure(row.name)] + row.value.figures
        }
        return Answer(columns: ["value", "events", "devices"], keyCount: 1, rows: rows)
    }
}
