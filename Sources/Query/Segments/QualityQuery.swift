import Database
import Events
import Storage
import TimeZones

/// Whether the numbers can be trusted, by the bucket in which batches arrived. The state is sums,
/// how late each event was, the sums of each client, and the sequence numbers of each device.
enum QualityQuery {
    static func run(
        _ scope: QueryScope, by interval: Interval, percents: [Int], clients limit: Int,
        _ reading: Reading
    ) throws(StorageError) -> Arrivals {
        var arrivals = ArrivalBuckets(scope, by: interval)
        var resources = try ResourceSet(scope.filter, reading)
        let shared = try SharedDevices(of: scope.app.id, reading)
        var buckets = [Arrivals.Bucket](repeating: Arrivals.Bucket(), count: arrivals.buckets.count)
        var sequences = BatchSequences(reading.account)
        var profiles = RunCounts()
        var keys = RunCounts()
        var clients = try BatchClients(reading)

        var spreads = [Lateness.Spread](
            repeating: Lateness.Spread(), count: arrivals.buckets.count)
        var batches = try reading.batches(of: scope.app.id)
        while try batches.next() {
            if let sequence = batches.sequence, !shared.contains(batches.device) {
                sequences.add(sequence, of: batches.device, arrival: batches.arrival)
            }
            guard try resources.contains(batches.resource),
                let bucket = arrivals.index(of: batches.arrival)
            else { continue }
            buckets[bucket].batches += 1
            buckets[bucket].events += Int128(batches.accepted)
            buckets[bucket].rejected += Int128(batches.rejected)
            buckets[bucket].bytes += Int128(batches.bytes)
            buckets[bucket].dropped += Int128(batches.droppedEvents)
            if batches.isCorrected { buckets[bucket].corrected += 1 }
            profiles.add(batches.profile)
            if let key = batches.key { keys.add(key) }
            try clients.add(batches)
            spreads[bucket].add(batches)
        }
        let byClient = try clients.ranked(limit, reading)
        let late = try Lateness(
            scope, by: interval, percents: percents, of: spreads, resources, reading)
        try addRepeats(scope, &resources, &arrivals, reading, to: &buckets)
        try reading.check()
        try sequences.forEachHole(reading) { missing, arrival in
            guard let bucket = arrivals.index(of: arrival) else { return }
            buckets[bucket].missing += Int128(missing)
        }

        for bucket in buckets.indices {
            buckets[bucket].late = percents.indices.map { late.rank($0, in: bucket) }
        }
        return Arrivals(
            buckets: buckets, profiles: names(of: profiles.all),
            keys: try names(of: keys.all, reading), clients: byClient)
    }

    /// Adds repeats by the quarter hour in which they arrived; the filters apply to their batch.
    private static func addRepeats(
        _ scope: QueryScope, _ resources: inout ResourceSet, _ arrivals: inout ArrivalBuckets,
        _ reading: Reading, to buckets: inout [Arrivals.Bucket]
    ) throws(StorageError) {
        let repeats = try reading.prepare(
            """
            SELECT r.quarter, b.resource, r.times, r.body_bytes
            FROM repeat AS r CROSS JOIN batch AS b
            WHERE r.app = ?1 AND r.quarter >= ?2 AND r.quarter <= ?3 AND b.id = r.batch
            """)
        try repeats.bind(1, scope.app.id)
        try repeats.bind(2, arrivals.quarters.lowerBound)
        try repeats.bind(3, arrivals.quarters.upperBound)
        while try repeats.step() {
            guard try resources.contains(repeats.int(1)),
                let bucket = arrivals.index(ofQuarter: repeats.int(0))
            else { continue }
            buckets[bucket].duplicates += Int128(repeats.int(2))
            buckets[bucket].bytes += Int128(repeats.int(3))
        }
    }

    private static func names(of profiles: [Int64: Int]) -> [(name: ByteText, batches: Int)] {
        profiles.map { code, count in
            let profile = UInt8(exactly: code).flatMap(Profile.init(rawValue:))
            return (ByteText(profile?.name ?? "unknown"), count)
        }.sorted { $0.name < $1.name }
    }

    private static func names(
        of keys: [Int64: Int], _ reading: Reading
    ) throws(StorageError) -> [(name: ByteText, batches: Int)] {
        let statement = try reading.prepare("SELECT name FROM key WHERE id = ?1")
        var names: [(name: ByteText, batches: Int)] = []
        for (key, count) in keys {
            try statement.bind(1, key)
            if try statement.step() {
                names.append((ByteText(bytes: statement.blob(0)), count))
            }
            statement.reset()
        }
        return names.sorted { $0.name < $1.name }
    }
}

/// Counts numbers that mostly come many times in a row.
private struct RunCounts {
    private var counts: [Int64: Int] = [:]
    private var last: Int64 = 0
    private var run = 0

    mutating func add(_ number: Int64) {
        if number != last, run > 0 {
            counts[last, default: 0] += run
            run = 0
        }
        last = number
        run += 1
    }

    /// The counts by number.
    var all: [Int64: Int] {
        var all = counts
        if run > 0 { all[last, default: 0] += run }
        return all
    }
}
