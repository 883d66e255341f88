import Columns
import Database
import Storage

/// How many devices get how far. Stretch by stretch of time, and each once, it collects those events that match
/// a step, and goes on with the walk of each device: what it holds grows with devices, not with events.
enum FunnelQuery {
    /// A stretch has no more times as many segments as the one before.
    private static let growth = 8

    /// The hits of a stretch, as long as there are not too many.
    private struct Hits: ReportShare {
        private(set) var shards: DeviceShards<FunnelHit>
        private(set) var isWhole = true
        private var uncounted = 0
        private let held: HitCount
        private let account: ReportAccount
        /// How many hits are found between two counts.
        private let stride: Int

        init(_ held: HitCount, stride: Int, _ account: ReportAccount) {
            self.held = held
            self.stride = stride
            self.account = account
            shards = DeviceShards(account)
        }

        /// - Returns: false once there are too many: then it has none
        @inline(__always)
        mutating func add(_ hit: FunnelHit) -> Bool {
            shards.append(hit)
            uncounted += 1
            return uncounted < stride || hasRoom()
        }

        private mutating func hasRoom() -> Bool {
            uncounted = 0
            if held.add(stride) { return true }
            drop()
            return false
        }

        private mutating func drop() {
            isWhole = false
            shards = DeviceShards(account)
        }

        mutating func merge(_ other: Hits) {
            if isWhole, other.isWhole { shards.merge(other.shards) } else { drop() }
        }
    }

    /// What an event has to be.
    private struct Wanted {
        let names: [ByteText]
        let keys: [ByteText]
        let masks: FunnelMasks

        init(_ steps: [EventMatcher]) {
            names = Array(Set(steps.map(\.name))).sorted()
            keys = Array(Set(steps.compactMap(\.attribute))).sorted()
            masks = FunnelMasks(steps, names: names, keys: keys)
        }
    }

    /// - Parameter hitsAtOnce: how many hits a stretch should have at most, 24 bytes each, and no day alone;
    ///   of the first stretch it takes all events for hits
    static func run(
        _ scope: QueryScope, _ steps: [EventMatcher], within: Int64, hitsAtOnce: Int = 1 << 21,
        _ reading: Reading
    ) throws(StorageError) -> [Int] {
        let states = ShardStates(
            DeviceShards<FunnelHit>.shardCount,
            FunnelStates(steps: steps.count, within: within, reading.account))
        let shared = try SharedDevices(of: scope.app.id, reading)
        let wanted = Wanted(steps)
        var stretches = try Stretches(scope, reading)
        var most = max(hitsAtOnce / Segment.maxEvents, 1)
        var begin = stretches
        while let stretch = stretches.next(most: most) {
            // A day is not cut.
            let held = HitCount(limit: most > 1 ? hitsAtOnce * 2 : .max)
            let none = Hits(held, stride: min(hitsAtOnce, 4096), reading.account)
            let hits = try hits(wanted, scope, stretch, shared, none, reading)
            guard hits.isWhole else {
                // They have become denser: the same again, cut earlier.
                stretches = begin
                most = max(most / growth, 1)
                continue
            }
            begin = stretches
            let shards = hits.shards
            let ofSegment = shards.count / max(stretches.segments, 1)
            most = max(min(hitsAtOnce / max(ofSegment, 1), most * growth), 1)
            try shards.collect(into: states, reading, by: FunnelHit.precedes) { states, hits in
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
        _ wanted: Wanted, _ scope: QueryScope, _ stretch: Range<Int64>, _ shared: SharedDevices,
        _ none: Hits, _ reading: Reading
    ) throws(StorageError) -> Hits {
        let (names, keys, masks) = (wanted.names, wanted.keys, wanted.masks)
        if keys.isEmpty {
            let list = try EventList(
                scope, names: names, times: true, within: stretch, reading)
            return try reading.inParallel { () throws(StorageError) in
                var hits = none
                var scan = EventScan(list)
                while try scan.next() {
                    guard let name = list.names.firstIndex(of: scan.name),
                        !shared.contains(scan.device)
                    else { continue }
                    let hit = FunnelHit(
                        device: scan.device, time: scan.time, mask: masks.plain[name])
                    if !hits.add(hit) { break }
                }
                return hits
            }
        }
        let list = try AttributeList(
            scope, names: names, attributes: keys, times: true, within: stretch, reading)
        return try reading.inParallel { () throws(StorageError) in
            var hits = none
            var scan = AttributeScan(list)
            while try scan.next() {
                if shared.contains(scan.device) { continue }
                let name = scan.name
                var mask = masks.plain[name]
                for key in keys.indices where masks.isConditional(name, key) {
                    let matched = scan.value(key) { Int(masks.matching($0, name, key)) }
                    mask |= UInt16(truncatingIfNeeded: matched ?? 0)
                }
                if mask == 0 { continue }
                let hit = FunnelHit(device: scan.device, time: try scan.time(), mask: mask)
                if !hits.add(hit) { break }
            }
            return hits
        }
    }
}
