import Dispatch
import Events
import Logging

/// Logs a line a minute with what came in it, at level `info`, and one at the end for the rest.
final class TrafficLog {
    /// Seconds between two lines.
    static let period = 60

    private let queue = DispatchQueue(label: "sojourn.traffic")
    private let timer: any DispatchSourceTimer
    private let tell: () -> Void

    /// - Parameter receivedBytes: that clients have sent so far
    init(
        _ meters: Meters, _ logger: Logging.Logger,
        receivedBytes: @escaping @Sendable () -> Int
    ) {
        var before = TrafficTotals()
        let tell = {
            let now = TrafficTotals(meters, receivedBytes: receivedBytes())
            if let counts = now.since(before) {
                logger.info("last minute", metadata: counts)
            }
            before = now
        }
        self.tell = tell
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler(handler: tell)
        timer.schedule(deadline: .now() + .seconds(Self.period), repeating: .seconds(Self.period))
        timer.activate()
    }

    /// Logs what came since the last line, and no more.
    func end() {
        timer.cancel()
        queue.sync(execute: tell)
    }
}

/// What the server has done so far, for the line that the log has of each minute.
struct TrafficTotals: Equatable {
    var accepted = 0
    var duplicates = 0
    /// Refused for what the sender did.
    var refused = 0
    /// Refused for what is ours: too much at once, a full disk, a wrong clock.
    var failed = 0
    var events = 0
    var rejectedEvents = 0
    /// Answered questions for reports.
    var reports = 0
    var receivedBytes = 0

    init() {}

    init(_ meters: Meters, receivedBytes: Int) {
        for profile in Meter.Layout.profiles {
            for outcome in BatchOutcome.all {
                let count = meters.batches(outcome, profile: profile)
                switch outcome {
                case .accepted: accepted += count
                case .duplicate: duplicates += count
                case .dryRun: break
                case .refused(let code):
                    if code.status < 500 { refused += count } else { failed += count }
                }
            }
        }
        events = meters.acceptedEvents
        rejectedEvents = Meter.Layout.codes.reduce(0) { $0 + meters.rejectedEvents($1) }
        for route in [RouteLabel.reportIndex, .report, .device] {
            reports += meters.requests(route, status: 200)
        }
        self.receivedBytes = receivedBytes
    }

    /// What came since then, for the log line; nil where no batch and no report did: probes are not worth
    /// a line.
    func since(_ before: TrafficTotals) -> Logging.Logger.Metadata? {
        var counts = [
            "accepted": accepted - before.accepted,
            "duplicates": duplicates - before.duplicates,
            "refused": refused - before.refused,
            "failed": failed - before.failed,
            "events": events - before.events,
            "rejected_events": rejectedEvents - before.rejectedEvents,
            "reports": reports - before.reports,
        ]
        guard counts.values.contains(where: { $0 != 0 }) else { return nil }
        counts["received_bytes"] = receivedBytes - before.receivedBytes
        return counts.mapValues { .stringConvertible($0) }
    }
}
