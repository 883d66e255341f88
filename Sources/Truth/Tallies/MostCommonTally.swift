/// A tally of what passes for the most common value of a dimension: which one that is shows at the end, so
/// there is one for each.
struct MostCommonTally: Tally {
    private let dimension: Dimension
    private let empty: any Tally
    private var tallies: [NameID: any Tally] = [:]
    /// Events of the range by value.
    private var events: [NameID: Int] = [:]

    init(_ dimension: Dimension, _ empty: any Tally) {
        self.dimension = dimension
        self.empty = empty
    }

    mutating func add(_ view: DeviceView, _ names: inout Names) {
        for event in view.device.events where event.isInRange {
            events[view.value(dimension, of: event), default: 0] += 1
        }
        let values = view.device.batches.map { $0.values[dimension.index] }
        for value in Set(values) {
            let narrowed = DeviceView(device: view.device, passing: values.map { $0 == value })
            if tallies[value] == nil { tallies[value] = empty }
            tallies[value]?.add(narrowed, &names)
        }
    }

    mutating func merge(_ other: MostCommonTally, _ renaming: Renaming) {
        for (value, count) in other.events { events[renaming[value], default: 0] += count }
        for (value, tally) in other.tallies {
            let value = renaming[value]
            if tallies[value] == nil { tallies[value] = empty }
            tallies[value]?.merge(any: tally, renaming)
        }
    }

    func answer(_ names: Names) -> Answer {
        let common = events.max { a, b in
            a.value == b.value ? names.precedes(b.key, a.key) : a.value < b.value
        }
        let value = common?.key ?? noName
        var answer = (tallies[value] ?? empty).answer(names)
        answer.parameters.append(Parameter(dimension.rawValue, names[value] ?? "unknown"))
        return answer
    }
}
