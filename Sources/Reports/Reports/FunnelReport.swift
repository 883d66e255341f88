import Database
import Events
import Storage

/// `funnel`: how many devices get how far. Its state is, for each device, the set of its events that
/// match a step: merging is union; how far it got is found at the end.
package enum FunnelReport {
    /// What the catalogue says of it.
    package static let definition = ReportDefinition(
        name: "funnel",
        summary: "how many devices get how far through steps in order: order, menu, checkout",
        parameters: Parameter.common + [.step, .within] + Parameter.filters + [.format],
        columns: [
            Column("step", .integer, group: .key),
            Column("matcher", .text, group: .key),
            Column("devices", .integer, unit: "devices", isDrawn: true, group: .count),
            Column(
                "from_first", .decimal, unit: "ratio",
                group: .figure(of: [.own("devices"), .first("devices")])),
            Column(
                "from_previous", .decimal, unit: "ratio",
                group: .figure(of: [.own("devices"), .previous("devices")])),
        ],
        answer: .rows { question, reading throws(StorageError) in
            try run(question, reading)
        })

    /// How many devices got how far.
    private struct Ways: ReportShare {
        /// By steps.
        private(set) var reached: [Int]
        private var walk: FunnelWalk

        init(steps: Int, within: Int64) {
            reached = [Int](repeating: 0, count: steps + 1)
            walk = FunnelWalk(steps: steps, within: within)
        }

        /// Adds a device by its hits, in order.
        mutating func add(_ hits: ArraySlice<FunnelHit>) {
            walk.restart()
            var place = hits.startIndex
            while place < hits.endIndex {
                let time = hits[place].time
                let moment = hits[place...].prefix { $0.time == time }
                if moment.count == 1 {
                    walk.add(time, hits[place].mask)
                } else {
                    walk.add(time, moment.map(\.mask)[...])
                }
                place = moment.endIndex
            }
            reached[walk.furthest] += 1
        }

        mutating func merge(_ other: Ways) {
            for step in reached.indices { reached[step] += other.reached[step] }
        }
    }

    private static func run(
        _ question: Question, _ reading: Reading
    ) throws(StorageError) -> Report {
        let steps = question.steps
        let ways = try hits(steps, question, reading).collect(
            Ways(steps: steps.count, within: question.within), reading,
            by: { a, b in a.time != b.time ? a.time < b.time : a.mask < b.mask },
            { ways, hits in ways.add(hits) })
        var reached = ways.reached
        // Who got further got as far.
        for step in stride(from: steps.count - 1, through: 1, by: -1) {
            reached[step] += reached[step + 1]
        }
        let rows = steps.enumerated().map { place, step in
            let devices = reached[place + 1]
            return Report.Row([
                .count(place + 1), .text(step.text), .count(devices),
                .ratio(devices, over: reached[1]),
                place == 0 ? .null : .ratio(devices, over: reached[place]),
            ])
        }
        return Report(question, rows: rows)
    }

    /// All events of the range that match a step, but for those of shared devices.
    private static func hits(
        _ steps: [EventMatcher], _ question: Question, _ reading: Reading
    ) throws(StorageError) -> DeviceShards<FunnelHit> {
        let shared = try SharedDevices(of: question.app.id, reading)
        let names = Array(Set(steps.map(\.name))).sorted()
        let keys = Array(Set(steps.compactMap(\.attribute))).sorted()
        let masks = FunnelMasks(steps, names: names, keys: keys)
        if keys.isEmpty {
            let list = try EventList(question, names: names, times: true, reading)
            return try reading.inParallel { () throws(StorageError) in
                var hits = DeviceShards<FunnelHit>(reading.account)
                var scan = EventScan(list)
                while try scan.next() {
                    guard let name = list.names.firstIndex(of: scan.name),
                        !shared.contains(scan.device)
                    else { continue }
                    hits.append(
                        FunnelHit(device: scan.device, time: scan.time, mask: masks.plain[name]))
                }
                return hits
            }
        }
        let list = try AttributeList(question, names: names, attributes: keys, reading)
        return try reading.inParallel { () throws(StorageError) in
            var hits = DeviceShards<FunnelHit>(reading.account)
            var scan = AttributeScan(list)
            while try scan.next() {
                if shared.contains(scan.device) { continue }
                let name = scan.name
                var mask = masks.plain[name]
                for key in keys.indices where masks.isConditional(name, key) {
                    let matched = scan.value(key) { Int(masks.matching($0, name, key)) }
                    mask |= UInt16(truncatingIfNeeded: matched ?? 0)
                }
                if mask != 0 {
                    hits.append(
                        FunnelHit(device: scan.device, time: try scan.time(), mask: mask))
                }
            }
            return hits
        }
    }
}
