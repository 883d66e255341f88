import Columns
import Database
import Storage

/// How many devices get how far. Stretch by stretch of time, and each once, it collects those events that match
/// a step, and goes on with the walk of each device: what it holds grows with devices, not with events.
enum FunnelQuery {
    /// A stretch has no more times as many segments as the one before.
    private static let growth = 8

    /// - Parameter hitsAtOnce: how many hits a stretch should have at most, 24 bytes each; the first one may
    ///   have hits alone
    static func run(
        _ scope: QueryScope, _ steps: [EventMatcher], within: Int64, hitsAtOnce: Int = 1 << 21,
        _ reading: Reading
    ) throws(StorageError) -> [Int] {
        let states = ShardStates(
            DeviceShards<FunnelHit>.shardCount,
            FunnelStates(steps: steps.count, within: within, reading.account))
        let shared = try SharedDevices(of: scope.app.id, reading)
        var stretches = try Stretches(scope, reading)
        var most = max(hitsAtOnce / Segment.maxEvents, 1)
        while let stretch = stretches.next(most: most) {
            let hits = try hits(steps, scope, stretch, shared, reading)
            let ofSegment = hits.count / max(stretches.segments, 1)
            most = max(min(hitsAtOnce / max(ofSegment, 1), most * growth), 1)
            try hits.collect(into: states, reading, by: FunnelHit.precedes) { states, hits in
                let row = DeviceShards<FunnelHit>.row(of: hits[hits.startIndex].device)
                states.add(hits, of: row)
            }
        }
        var reached = [Int](repeating: 0, count: steps.count + 1)
        states.forEach { $0.count(into: &reached) }
        reached.removeFirst()
        // A device that got further also reached this step.
        for step in reached.indices.dropLast().reversed() { reached[step] += reached[step + 1] }
        return reached
    }

    /// All events of a stretch that match a step, except those of shared devices.
    private static func hits(
        _ steps: [EventMatcher], _ scope: QueryScope, _ stretch: Range<Int64>,
        _ shared: SharedDevices, _ reading: Reading
    ) throws(StorageError) -> DeviceShards<FunnelHit> {
        let names = Array(Set(steps.map(\.name))).sorted()
        let keys = Array(Set(steps.compactMap(\.attribute))).sorted()
        let masks = FunnelMasks(steps, names: names, keys: keys)
        if keys.isEmpty {
            let list = try EventList(
                scope, names: names, times: true, within: stretch, reading)
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
        let list = try AttributeList(
            scope, names: names, attributes: keys, times: true, within: stretch, reading)
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
