/// `videos`: how long videos fill the screen.
struct VideosTally: Tally {
    private let enter: NameID
    private let exit: NameID
    private var groups = Groups<Count>()

    private struct Count: Mergeable {
        var enters = EventCount()
        var durations = Durations()

        mutating func merge(_ other: Count) {
            enters.merge(other.enters)
            durations.merge(other.durations)
        }
    }

    init(_ names: inout Names) {
        enter = names.id(of: "video.enter_fullscreen")
        exit = names.id(of: "video.exit_fullscreen")
    }

    mutating func add(_ view: DeviceView, _ names: inout Names) {
        let device = view.device
        var videos: [NameID: [PreparedEvent]] = [:]
        for event in device.events where event.name == enter || event.name == exit {
            guard let text = device.text("video.id", of: event) else { continue }
            videos[names.id(of: text), default: []].append(event)
        }
        for (video, events) in videos {
            // Within one millisecond enters come first; a sort that is stable keeps the rest.
            let order = events.enumerated().sorted {
                ($0.element.time, $0.element.name == exit ? 1 : 0, $0.offset)
                    < ($1.element.time, $1.element.name == exit ? 1 : 0, $1.offset)
            }.map(\.element)
            for (index, event) in order.enumerated()
            where event.name == enter && view.isKept(event) {
                groups[0, video].enters.insert(of: device)
                guard index + 1 < order.count, order[index + 1].name == exit else { continue }
                let next = order[index + 1]
                groups[0, video].durations.insert(
                    BoundedTime(
                        next.time - event.time, changes: device.isExact(event, next) ? 0 : 1))
            }
        }
    }

    mutating func merge(_ other: VideosTally, _ renaming: Renaming) {
        groups.merge(other.groups, renaming)
    }

    func answer(_ names: Names) -> Answer {
        let rows = groups.ranked(names, by: \.enters.events).map { row in
            [names.figure(row.name)] + row.value.enters.figures
                + [.seconds(row.value.durations.total)] + row.value.durations.percentiles([50])
        }
        return Answer(
            columns: ["video", "enters", "devices", "fullscreen_total", "fullscreen_p50"],
            keyCount: 1, rows: rows)
    }
}
