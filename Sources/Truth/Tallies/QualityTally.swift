import TimeZones

/// `quality`, summed up over all that arrived: no buckets, and no `bytes_received`.
struct QualityTally: Tally {
    private let calendar: ReportCalendar
    private var batches = 0
    private var duplicates = 0
    /// Repeats that may have been there, too.
    private var uncertain = 0
    private var events = 0
    private var rejected = 0
    private var corrected = 0
    private var missing = 0
    private var dropped = 0
    private var late = LateHistogram()
    private var clients: [String: ClientCount] = [:]
    private var arrival = Arrival()

    /// A jump of a sequence by more is a new count.
    private static let greatestJump: Int64 = 10_000
    /// How far seconds of lateness may be off.
    private static let lateSlack = 3
    /// Clients that have a member of their own.
    private static let clientLimit = 100

    init(_ calendar: ReportCalendar) {
        self.calendar = calendar
    }

    mutating func add(_ view: DeviceView, _ names: inout Names) {
        let device = view.device
        for batch in device.told.batches {
            batches += 1
            duplicates += batch.repeats
            uncertain += batch.uncertain
            events += Int(batch.accepted)
            rejected += Int(batch.rejected)
            corrected += batch.isCorrected ? 1 : 0
            dropped += Int(batch.dropped)
            arrival.insert(batch.posted)
            let client = batch.resource.sdkName.known + "/" + batch.resource.sdkVersion.known
            clients[client, default: ClientCount()].insert(batch)
        }
        for event in device.events {
            late.insert(device.told.batches[Int(event.batch)].posted - event.time)
        }
        guard !device.isShared else { return }
        let sequences = device.told.batches.map(\.sequence).sorted()
        for (a, b) in zip(sequences, sequences.dropFirst()) where b - a <= Self.greatestJump {
            missing += Int(max(0, b - a - 1))
        }
    }

    mutating func merge(_ other: QualityTally, _ renaming: Renaming) {
        batches += other.batches
        duplicates += other.duplicates
        uncertain += other.uncertain
        events += other.events
        rejected += other.rejected
        corrected += other.corrected
        missing += other.missing
        dropped += other.dropped
        late.merge(other.late)
        clients.merge(other.clients) { $0 + $1 }
        arrival.merge(other.arrival)
    }

    func answer(_ names: Names) -> Answer {
        var answer = Answer(
            columns: [
                "batches", "duplicates", "events", "rejected", "corrected_batches", "late_p50",
                "late_p95", "missing_batches", "dropped_events",
            ], keyCount: 0)
        answer.isSum = true
        answer.parameters = arrival.parameters(calendar) + [Parameter("interval", "month")]
        answer.rows = [
            [
                .count(batches), .count(from: duplicates, to: duplicates + uncertain),
                .count(events), .count(rejected),
                .count(corrected), lateness(50), lateness(95), .count(missing), .count(dropped),
            ]
        ]
        let scope = calendar.scope
        let all = Figure.count(batches)
        answer.members = [
            .init(name: "by_profile", figure: object([(scope.profile, all)])),
            .init(name: "by_key", figure: object(scope.keyID.map { [($0, all)] } ?? [])),
            .init(name: "by_client", figure: object(clientMembers)),
        ]
        return answer
    }

    private func object(_ members: [(name: String, figure: Figure)]) -> Figure {
        .object(batches == 0 ? [] : members.map { Figure.Member(name: $0.name, figure: $0.figure) })
    }

    /// The clients with most batches by bytes, and all the rest in one.
    private var clientMembers: [(name: String, figure: Figure)] {
        func precedes(_ a: String, _ b: String) -> Bool {
            a.utf8.lexicographicallyPrecedes(b.utf8)
        }
        let order = clients.sorted {
            $0.value.batches == $1.value.batches
                ? precedes($0.key, $1.key) : $0.value.batches > $1.value.batches
        }
        var members = order.prefix(Self.clientLimit).sorted { precedes($0.key, $1.key) }
            .map { (name: $0.key, figure: $0.value.figure) }
        let rest = order.dropFirst(Self.clientLimit).map(\.value)
        if !rest.isEmpty { members.append(("other", rest.reduce(ClientCount(), +).figure)) }
        return members
    }

    private func lateness(_ percent: Int) -> Figure {
        guard let seconds = late.percentile(percent) else { return .missing }
        return .between(
            String(seconds.lowerBound - Self.lateSlack), String(seconds.upperBound + Self.lateSlack)
        )
    }
}

/// What one version of a client has sent.
private struct ClientCount: Sendable {
    var batches = 0
    var rejected = 0
    var dropped = 0

    mutating func insert(_ batch: ToldBatch) {
        batches += 1
        rejected += Int(batch.rejected)
        dropped += Int(batch.dropped)
    }

    static func + (a: ClientCount, b: ClientCount) -> ClientCount {
        ClientCount(
            batches: a.batches + b.batches, rejected: a.rejected + b.rejected,
            dropped: a.dropped + b.dropped)
    }

    var figure: Figure {
        .object([
            .init(name: "batches", figure: .count(batches)),
            .init(name: "rejected", figure: .count(rejected)),
            .init(name: "dropped_events", figure: .count(dropped)),
        ])
    }
}
