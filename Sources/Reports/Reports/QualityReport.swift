import Database
import Events
import Storage
import TimeZones

/// `quality`: whether the numbers can be trusted, by the bucket in which batches arrived. Its state is
/// sums, how late each event was, and the sequence numbers of each device.
package enum QualityReport {
    /// What the catalogue says of it.
    package static let definition = ReportDefinition(
        name: "quality",
        summary: "whether the numbers can be trusted: what arrived when, how late, what is missing",
        parameters: Parameter.common + [.interval] + Parameter.filters + [.format],
        columns: [
            Column("date", .date, group: .key),
            Column("batches", .integer, unit: "batches", isDrawn: true),
            Column("duplicates", .integer, unit: "batches"),
            Column("events", .integer, unit: "events"),
            Column("rejected", .integer, unit: "events"),
            Column("bytes_received", .integer, unit: "bytes"),
            Column("corrected_batches", .integer, unit: "batches"),
            Column("late_p50", .decimal, unit: "seconds"),
            Column("late_p95", .decimal, unit: "seconds"),
            Column("missing_batches", .integer, unit: "batches"),
            Column("dropped_events", .integer, unit: "events"),
        ],
        members: [
            Column("by_profile", .object, unit: "batches"),
            Column("by_key", .object, unit: "batches"),
        ],
        sources: [.repeats],
        answer: .rows { question, reading throws(StorageError) in
            try run(question, reading)
        })

    /// What is known of one bucket.
    private struct Bucket {
        var batches = 0
        var duplicates: Int128 = 0
        var events: Int128 = 0
        var rejected: Int128 = 0
        var bytes: Int128 = 0
        var corrected = 0
        var missing: Int128 = 0
        var dropped: Int128 = 0

        /// - Parameter late: percentiles of arrival − event time, milliseconds
        func row(_ start: CivilDate, late: [Int64?]) -> Report.Row {
            let late = late.map { $0.map { Cell.seconds(Int128($0)) } ?? .null }
            return Report.Row(
                [
                    .date(start), .count(batches), .sum(duplicates), .sum(events),
                    .sum(rejected), .sum(bytes), .count(corrected),
                ] + late + [.sum(missing), .sum(dropped)])
        }
    }

    private static func run(
        _ question: Question, _ reading: Reading
    ) throws(StorageError) -> Report {
        var arrivals = ArrivalBuckets(question)
        var resources = try ResourceSet(question.filter, reading)
        let shared = try SharedDevices(of: question.app.id, reading)
        var buckets = [Bucket](repeating: Bucket(), count: arrivals.buckets.count)
        var sequences = BatchSequences(reading.account)
        var profiles: [Int64: Int] = [:]
        var keys: [Int64: Int] = [:]

        let percents = [50, 95]
        var spreads = [Lateness.Spread](
            repeating: Lateness.Spread(), count: arrivals.buckets.count)
        var batches = try reading.batches(of: question.app.id)
        while try batches.next() {
            if let sequence = batches.sequence, !shared.contains(batches.device) {
                sequences.add(sequence, of: batches.device, arrival: batches.arrival)
            }
            guard try resources.contains(batches.resource),
                let place = arrivals.place(of: batches.arrival)
            else { continue }
            buckets[place].batches += 1
            buckets[place].events += Int128(batches.accepted)
            buckets[place].rejected += Int128(batches.rejected)
            buckets[place].bytes += Int128(batches.octets)
            buckets[place].dropped += Int128(batches.droppedEvents)
            if batches.isCorrected { buckets[place].corrected += 1 }
            profiles[batches.profile, default: 0] += 1
            if let key = batches.key { keys[key, default: 0] += 1 }
            spreads[place].add(batches)
        }
        let late = try Lateness(
            question, percents: percents, of: spreads, resources, reading)
        try addRepeats(question, &resources, &arrivals, reading, to: &buckets)
        try reading.check()
        try sequences.forEachHole(reading) { missing, arrival in
            guard let place = arrivals.place(of: arrival) else { return }
            buckets[place].missing += Int128(missing)
        }

        var rows: [Report.Row] = []
        for (place, start) in arrivals.buckets.starts.enumerated() {
            rows.append(
                buckets[place].row(start, late: percents.indices.map { late.rank($0, in: place) }))
        }
        return Report(
            question,
            members: [
                Report.Member("by_profile", .counts(names(of: profiles))),
                Report.Member("by_key", .counts(try names(of: keys, reading))),
            ], rows: rows)
    }

    /// Repeats count when they came, by the quarter hour; the filters are those of their batch.
    private static func addRepeats(
        _ question: Question, _ resources: inout ResourceSet, _ arrivals: inout ArrivalBuckets,
        _ reading: Reading, to buckets: inout [Bucket]
    ) throws(StorageError) {
        let repeats = try reading.prepare(
            """
            SELECT r.quarter, b.resource, r.times, r.body_bytes
            FROM repeat AS r CROSS JOIN batch AS b
            WHERE r.app = ?1 AND r.quarter >= ?2 AND r.quarter <= ?3 AND b.id = r.batch
            """)
        try repeats.bind(1, question.app.id)
        try repeats.bind(2, arrivals.quarters.lowerBound)
        try repeats.bind(3, arrivals.quarters.upperBound)
        while try repeats.step() {
            guard try resources.contains(repeats.int(1)),
                let place = arrivals.place(ofQuarter: repeats.int(0))
            else { continue }
            buckets[place].duplicates += Int128(repeats.int(2))
            buckets[place].bytes += Int128(repeats.int(3))
        }
    }

    private static func names(of profiles: [Int64: Int]) -> [NamedCount] {
        profiles.map { code, count in
            let profile = UInt8(exactly: code).flatMap(Profile.init(rawValue:))
            return NamedCount(ByteText(profile?.name ?? "unknown"), count)
        }.sorted { $0.name < $1.name }
    }

    private static func names(
        of keys: [Int64: Int], _ reading: Reading
    ) throws(StorageError) -> [NamedCount] {
        let statement = try reading.prepare("SELECT name FROM key WHERE id = ?1")
        var names: [NamedCount] = []
        for (key, count) in keys {
            try statement.bind(1, key)
            if try statement.step() {
                names.append(NamedCount(ByteText(bytes: statement.blob(0)), count))
            }
            statement.reset()
        }
        return names.sorted { $0.name < $1.name }
    }
}
