/// `content`: who saw what, and who read it to the end.
struct ContentTally: Tally {
    private let view: NameID
    private let complete: NameID
    private var groups = Groups<Count>()

    private struct Count: Mergeable {
        var views = EventCount()
        var completions = EventCount()
        var credited = 0

        mutating func merge(_ other: Count) {
            views.merge(other.views)
            completions.merge(other.completions)
            credited += other.credited
        }
    }

    init(_ names: inout Names) {
        view = names.id(of: "content.view")
        complete = names.id(of: "content.complete")
    }

    mutating func add(_ view: DeviceView, _ names: inout Names) {
        var completed: Set<NameID> = []
        for event in view.device.events where event.name == self.view || event.name == complete {
            guard let text = view.device.text("content.id", of: event) else { continue }
            let content = names.id(of: text)
            let isKept = view.isKept(event)
            if event.name == self.view {
                if isKept { groups[0, content].views.insert(of: view.device) }
                continue
            }
            if isKept { groups[0, content].completions.insert(of: view.device) }
            // The first ever, whether it counts or not.
            let isFirst = completed.insert(content).inserted
            if isFirst, isKept, !view.device.isShared { groups[0, content].credited += 1 }
        }
    }

    mutating func merge(_ other: ContentTally, _ renaming: Renaming) {
        groups.merge(other.groups, renaming)
    }

    func answer(_ names: Names) -> Answer {
        let rows = groups.ranked(names, by: \.views.devices).map { row -> [Figure] in
            let (views, completions) = (row.value.views, row.value.completions)
            return [names.figure(row.name)] + views.figures + completions.figures + [
                .ratio(completions.devices, views.devices), .count(row.value.credited),
            ]
        }
        return Answer(
            columns: [
                "content", "views", "viewers", "completions", "completers", "completion_rate",
                "credited",
            ], keyCount: 1, rows: rows)
    }
}
