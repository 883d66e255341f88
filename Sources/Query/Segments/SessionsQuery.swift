import Database
import Events
import Storage
import TimeZones

/// How many sessions began in each bucket, and how long they were. The state has, for each bucket,
/// sums and the durations of its sessions; they merge by addition and concatenation.
enum SessionsQuery {
    /// The state of one bucket.
    private struct Bucket {
        var durations: [Int64] = []
        var total: Int128 = 0
        var unshared = 0
        var devices = DeviceSet()
        var closed = 0
        var inferred = 0
        var open = 0

        mutating func add(_ session: SessionScan.Found, now: Int64, _ held: inout HeldBytes) {
            durations.append(session.fold.duration, &held)
            total += Int128(session.fold.duration)
            if !session.isShared {
                unshared += 1
                let before = devices.allocatedBytes
                devices.insert(session.device)
                held.add(devices.allocatedBytes - before)
            }
            switch session.fold.state(at: now) {
            case .closed: closed += 1
            case .inferred: inferred += 1
            case .open: open += 1
            }
        }

        mutating func merge(_ other: Bucket, _ held: inout HeldBytes) {
            let more = other.durations.count
            if durations.count + more > durations.capacity { durations.grow(more, &held) }
            durations += other.durations
            total += other.total
            unshared += other.unshared
            let before = devices.allocatedBytes
            devices.formUnion(other.devices)
            held.add(devices.allocatedBytes - before)
            closed += other.closed
            inferred += other.inferred
            open += other.open
        }

        func sums(_ percents: [Int]) -> SessionSums {
            let ranks = NearestRanks(durations)
            var sums = SessionSums()
            sums.sessions = durations.count
            sums.unshared = unshared
            sums.devices = devices.count
            sums.duration = total
            sums.ranks = percents.map { ranks.value($0) }
            (sums.closed, sums.inferred, sums.open) = (closed, inferred, open)
            return sums
        }
    }

    private struct States: ReportShare {
        private(set) var all: [Bucket]
        private var held: HeldBytes

        init(_ buckets: Int, _ account: ReportAccount) {
            all = [Bucket](repeating: Bucket(), count: buckets)
            held = HeldBytes(account)
        }

        mutating func add(_ session: SessionScan.Found, to bucket: Int, now: Int64) {
            all[bucket].add(session, now: now, &held)
        }

        mutating func merge(_ other: States) {
            for bucket in all.indices { all[bucket].merge(other.all[bucket], &held) }
        }
    }

    static func run(
        _ scope: QueryScope, by interval: Interval, percents: [Int], _ reading: Reading
    ) throws(StorageError) -> [SessionSums] {
        let buckets = scope.buckets(by: interval)
        let now = scope.now
        let none = States(buckets.count, reading.account)
        let states = try SessionScan(scope, reading).collect(none, reading) { states, session in
            guard let bucket = buckets.index(ofDay: session.day) else { return }
            states.add(session, to: bucket, now: now)
        }
        var all: [SessionSums] = []
        for state in states.all {
            // Each bucket's sums read all its durations.
            try reading.check()
            all.append(state.sums(percents))
        }
        return all
    }
}
