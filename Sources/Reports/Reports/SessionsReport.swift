import Database
import Events
import Storage
import TimeZones

/// `sessions`: how many began in each bucket, and how long they were. Its state is, for each bucket,
/// the durations of its sessions and sums: merging is putting them together.
package enum SessionsReport {
    /// What the catalogue says of it.
    package static let definition = ReportDefinition(
        name: "sessions",
        summary: "how many sessions began, of how many devices, how long they were, how they ended",
        parameters: Parameter.common + [.interval] + Parameter.filters + [.format],
        columns: [
            Column("date", .date, group: .key),
            Column("sessions", .integer, unit: "sessions", isDrawn: true),
            Column("devices", .integer, unit: "devices", group: .size),
            Column("sessions_per_device", .decimal, unit: "ratio"),
            Column("duration_mean", .decimal, unit: "seconds"),
            Column("duration_p50", .decimal, unit: "seconds"),
            Column("duration_p90", .decimal, unit: "seconds"),
            Column("duration_p95", .decimal, unit: "seconds"),
            Column("total_duration", .decimal, unit: "seconds"),
            Column("closed", .integer, unit: "sessions"),
            Column("inferred", .integer, unit: "sessions"),
            Column("open", .integer, unit: "sessions"),
        ],
        sources: [.openSessions],
        answer: .rows { question, reading throws(StorageError) in
            try run(question, reading)
        })

    /// What is known of one bucket.
    private struct Bucket {
        var durations: [Int64] = []
        var total: Int128 = 0
        var unshared = 0
        var devices = DeviceSet()
        var closed = 0
        var inferred = 0
        var open = 0

        mutating func add(_ session: SessionScan.Found, now: Int64, _ held: inout HeldOctets) {
            durations.append(session.fold.duration, &held)
            total += Int128(session.fold.duration)
            if !session.isShared {
                unshared += 1
                let before = devices.octets
                devices.insert(session.device)
                held.add(devices.octets - before)
            }
            switch session.fold.state(at: now) {
            case .closed: closed += 1
            case .inferred: inferred += 1
            case .open: open += 1
            }
        }

        mutating func merge(_ other: Bucket, _ held: inout HeldOctets) {
            let more = other.durations.count
            if durations.count + more > durations.capacity { durations.grow(more, &held) }
            durations += other.durations
            total += other.total
            unshared += other.unshared
            let before = devices.octets
            devices.formUnion(other.devices)
            held.add(devices.octets - before)
            closed += other.closed
            inferred += other.inferred
            open += other.open
        }

        func row(_ start: CivilDate) -> Report.Row {
            let ranks = NearestRanks(durations)
            let devices = self.devices.count
            return Report.Row([
                .date(start), .count(durations.count), .count(devices),
                .ratio(unshared, over: devices), .meanSeconds(total, count: durations.count),
                .nearestRank(50, of: ranks), .nearestRank(90, of: ranks),
                .nearestRank(95, of: ranks), .seconds(total), .count(closed), .count(inferred),
                .count(open),
            ])
        }
    }

    private struct States: ReportShare {
        private(set) var all: [Bucket]
        private var held: HeldOctets

        init(_ buckets: Int, _ account: ReportAccount) {
            all = [Bucket](repeating: Bucket(), count: buckets)
            held = HeldOctets(account)
        }

        mutating func add(_ session: SessionScan.Found, to bucket: Int, now: Int64) {
            all[bucket].add(session, now: now, &held)
        }

        mutating func merge(_ other: States) {
            for place in all.indices { all[place].merge(other.all[place], &held) }
        }
    }

    private static func run(
        _ question: Question, _ reading: Reading
    ) throws(StorageError) -> Report {
        let buckets = Buckets(from: question.from, to: question.to, by: question.interval)
        let now = question.now
        let none = States(buckets.count, reading.account)
        let states = try SessionScan(question, reading).collect(none, reading) { states, session in
            guard let place = buckets.place(ofDay: session.day) else { return }
            states.add(session, to: place, now: now)
        }
        var rows: [Report.Row] = []
        for (start, state) in zip(buckets.starts, states.all) {
            // Each goes through its durations.
            try reading.check()
            rows.append(state.row(start))
        }
        return Report(question, rows: rows)
    }
}
