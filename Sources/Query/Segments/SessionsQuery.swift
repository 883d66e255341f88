import Database
import Events
import Storage
import TimeZones

/// How many sessions began in each bucket, and how long they were. The state has, for each bucket,
/// sums and the durations of its sessions; they merge by addition and concatenation.
enum SessionsQuery {
    /// The state of one bucket.
    private struct Bucket {
        /// Milliseconds: those that 32 bits hold, which nearly all do, and the others.
        private var durations: [UInt32] = []
        private var longDurations: [Int64] = []
        private var total: Int128 = 0
        private var unshared = 0
        private var devices = DeviceSet()
        private var closed = 0
        private var inferred = 0
        private var open = 0

        mutating func add(_ session: SessionScan.Found, now: Int64, _ held: inout HeldBytes) {
            if let short = UInt32(exactly: session.fold.duration) {
                durations.append(short, &held)
            } else {
                longDurations.append(session.fold.duration, &held)
            }
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
            for duration in other.longDurations { longDurations.append(duration, &held) }
            total += other.total
            unshared += other.unshared
            let before = devices.allocatedBytes
            devices.formUnion(other.devices)
            held.add(devices.allocatedBytes - before)
            closed += other.closed
            inferred += other.inferred
            open += other.open
        }

        func sums(_ percents: [Int], _ account: ReportAccount) -> SessionSums {
            let count = durations.count + longDurations.count
            let room = HeldBytes(account, count * MemoryLayout<Int64>.stride)
            defer { withExtendedLifetime(room) {} }
            var all: [Int64] = []
            all.reserveCapacity(count)
            for duration in durations { all.append(Int64(duration)) }
            all += longDurations
            let ranks = NearestRanks(all)
            var sums = SessionSums()
            sums.sessions = count
            sums.unshared = unshared
            sums.devices = devices.count
            sums.duration = total
            sums.ranks = percents.map { ranks.value($0) }
            (sums.closed, sums.inferred, sums.open) = (closed, inferred, open)
            return sums
        }
    }

    /// The sums of some buckets, each with its index.
    private struct Sums: ReportShare {
        var all: [(bucket: Int, sums: SessionSums)] = []

        mutating func merge(_ other: Sums) { all += other.all }
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
        let sums = try reading.inParallel(buckets.count, Sums()) { sums, bucket in
            sums.all.append((bucket, states.all[bucket].sums(percents, reading.account)))
        }
        var all = [SessionSums](repeating: SessionSums(), count: buckets.count)
        for (bucket, sums) in sums.all { all[bucket] = sums }
        return all
    }
}
