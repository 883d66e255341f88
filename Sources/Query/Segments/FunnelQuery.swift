import Database
import Storage

/// How many devices get how far. The state is, for each device, the set of its events that match a
/// step; it merges by union, and the walk through them comes at the end.
enum FunnelQuery {
    /// How many devices got how far.
    private struct Ways: ReportShare {
        /// By the number of completed steps.
        private(set) var reached: [Int]
        private var walk: FunnelWalk

        init(steps: Int, within: Int64) {
            reached = [Int](repeating: 0, count: steps + 1)
            walk = FunnelWalk(steps: steps, within: within)
        }

        /// Adds a device by its hits, in order.
        mutating func add(_ hits: ArraySlice<FunnelHit>) {
            walk.restart()
            var index = hits.startIndex
            while index < hits.endIndex {
                let time = hits[index].time
                let moment = hits[index...].prefix { $0.time == time }
                if moment.count == 1 {
                    walk.add(time, hits[index].mask)
                } else {
                    walk.add(time, moment.map(\.mask)[...])
                }
                index = moment.endIndex
            }
            reached[walk.furthest] += 1
        }

        mutating func merge(_ other: Ways) {
            for step in reached.indices { reached[step] += other.reached[step] }
        }
    }

    static func run(
        _ scope: QueryScope, _ steps: [EventMatcher], within: Int64, _ reading: Reading
    ) throws(StorageError) -> [Int] {
        let ways = try hits(steps, scope, reading).collect(
            Ways(steps: steps.count, within: within), reading,
            by: { a, b in a.time != b.time ? a.time < b.time : a.mask < b.mask },
            { ways, hits in ways.add(hits) })
        var reached = Array(ways.reached.dropFirst())
        // A device that got further also reached this step.
        for step in reached.indices.dropLast().reversed() { reached[step] += reached[step + 1] }
        return reached
    }

    /// All events of the range that match a step, except those of shared devices.
    private static func hits(
        _ steps: [EventMatcher], _ scope: QueryScope, _ reading: Reading
    ) throws(StorageError) -> DeviceShards<FunnelHit> {
        let shared = try SharedDevices(of: scope.app.id, reading)
        let names = Array(Set(steps.map(\.name))).sorted()
        let keys = Array(Set(steps.compactMap(\.attribute))).sorted()
        let masks = FunnelMasks(steps, names: names, keys: keys)
        if keys.isEmpty {
            let list = try EventList(scope, names: names, times: true, reading)
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
        let list = try AttributeList(scope, names: names, attributes: keys, reading)
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

/// An event that matches steps of a funnel.
struct FunnelHit: DeviceKeyed {
    /// Row of its device.
    let device: Int64
    /// Milliseconds since 1970-01-01T00:00:00Z.
    let time: Int64
    /// The steps, bit 0 for the first.
    let mask: UInt16
}
