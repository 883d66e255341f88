import Engine
import Events
import Forwarding
import HTTP1
import Sockets
import Storage
import Synchronization

/// What `/metrics` is made of. Usable from any thread.
final class MetricsSource: Sendable {
    private let meters: Meters
    private let store: Store
    private let clock: ArrivalClock
    private let forwarder: Forwarder?
    private let listening = Mutex(Listening())

    /// The server holds its handlers, and they hold this.
    private struct Listening { weak var server: Server? }

    /// - Parameter forwarder: nil where the node hands over to no engine
    init(
        _ meters: Meters, _ store: Store, _ clock: ArrivalClock, _ forwarder: Forwarder? = nil
    ) {
        self.meters = meters
        self.clock = clock
        self.forwarder = forwarder
        self.store = store
    }

    /// The sockets' counters, once they listen.
    var server: Server? {
        get { listening.withLock { $0.server } }
        set { listening.withLock { $0.server = newValue } }
    }

    /// `/metrics`. Asks the system for a few figures: not on an event loop.
    var response: Response {
        var page = Exposition()
        for metric in Metric.allCases where forwarder != nil || !metric.isOfCluster {
            page.begin(metric)
            write(metric, to: &page)
        }
        return Response(
            status: 200, contentType: Exposition.contentType, body: Array(page.text.utf8))
    }

    private func write(_ metric: Metric, to page: inout Exposition) {
        switch metric {
        case .httpRequests: writeRequests(to: &page)
        case .batches: writeBatches(to: &page)
        case .events:
            page.sample(metric, labels: ["accepted", ""], Double(meters.acceptedEvents))
            for code in Meter.Layout.codes {
                page.sample(
                    metric, labels: ["rejected", code], Double(meters.rejectedEvents(code)))
            }
        case .commitSeconds: page.samples(metric, of: meters.commitSeconds)
        case .commitBatches: page.samples(metric, of: meters.commitBatches)
        case .reportSeconds:
            for (name, histogram) in meters.reportSeconds.sorted(by: { $0.key < $1.key })
            where histogram.reading.count > 0 {
                page.samples(metric, labels: [name], of: histogram)
            }
        case .queueBatches: page.sample(metric, Double(store.writer.pendingBatches))
        case .connections: page.sample(metric, Double(server?.connections ?? 0))
        case .receivedBytes: page.sample(metric, Double(server?.receivedBytes ?? 0))
        case .databaseBytes:
            let database = store.directory.database
            page.sample(
                metric, Double(ProcessFile.size(database) + ProcessFile.size(database + "-wal")))
        case .clockVouched:
            page.sample(metric, clock.voucher(at: Timestamp.milliseconds) == nil ? 0 : 1)
        case .buildInfo: page.sample(metric, labels: [BuildInfo.version], 1)
        default:
            if let forwarder, metric.isOfCluster {
                write(metric, forwarder.figures, to: &page)
            } else {
                writeProcess(metric, to: &page)
            }
        }
    }

    private func write(_ metric: Metric, _ figures: ForwardFigures, to page: inout Exposition) {
        switch metric {
        case .forwardUnits: page.sample(metric, Double(figures.units))
        case .forwardBatches: page.sample(metric, Double(figures.batches))
        case .forwardFailures:
            for kind in EngineError.Kind.counted {
                page.sample(metric, labels: [kind.rawValue], Double(figures.failures[kind] ?? 0))
            }
        case .forwardWaitingBatches: page.sample(metric, Double(figures.waitingBatches))
        case .forwardWaitingBytes: page.sample(metric, Double(figures.waitingBytes))
        case .forwardLag:
            page.sample(
                metric, Double(max(0, Timestamp.milliseconds - figures.handedTo)) / 1000)
        case .forwardSeconds: page.samples(metric, of: meters.forwardSeconds)
        case .forwardClockOffset:
            if let offset = figures.clockOffset { page.sample(metric, Double(offset) / 1000) }
        default: break
        }
    }

    /// A series begins with what it first counts.
    private func writeRequests(to page: inout Exposition) {
        for route in RouteLabel.allCases {
            for (index, status) in StatusLabel.texts.enumerated() {
                let count = meters.total(at: Meter.Layout.request(route, index))
                if count > 0 {
                    page.sample(.httpRequests, labels: [route.text, status], Double(count))
                }
            }
        }
    }

    /// Good outcomes are exported from the start, so that a rate has a beginning; others once they occur.
    private func writeBatches(to page: inout Exposition) {
        for profile in Meter.Layout.profiles {
            for outcome in BatchOutcome.all {
                let count = meters.batches(outcome, profile: profile)
                let isExpected = profile != nil && (outcome == .accepted || outcome == .duplicate)
                if count > 0 || isExpected {
                    page.sample(
                        .batches, labels: [profile?.name ?? "unknown", outcome.label], Double(count)
                    )
                }
            }
        }
    }

    /// What the system does not provide is left out.
    private func writeProcess(_ metric: Metric, to page: inout Exposition) {
        let value: Double? =
            switch metric {
            case .processCPUSeconds: ProcessFigures.now()?.cpuSeconds
            case .processResidentBytes: (ProcessFigures.now()?.residentBytes).map(Double.init)
            case .processVirtualBytes: (ProcessFigures.now()?.virtualBytes).map(Double.init)
            case .processStart: ProcessFigures.now()?.startedAt
            case .processOpenFiles: ProcessFile.openFiles().map(Double.init)
            case .processMaxFiles: ProcessFile.maxFiles().map(Double.init)
            default: nil
            }
        if let value { page.sample(metric, value) }
    }
}

/// Writes Prometheus text, version 0.0.4.
struct Exposition {
    static let contentType: StaticString = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var text = ""

    /// `HELP` and `TYPE`, before the samples.
    mutating func begin(_ metric: Metric) {
        text += "# HELP \(metric.rawValue) \(Self.escaped(metric.row.help, quotes: false))\n"
        text += "# TYPE \(metric.rawValue) \(metric.row.kind.rawValue)\n"
    }

    /// One sample; labels in the metric's order.
    mutating func sample(
        _ metric: Metric, suffix: String = "", labels: [String] = [], bound: String? = nil,
        _ value: Double
    ) {
        var pairs = zip(metric.row.labels, labels).map { name, label in
            "\(name)=\"\(Self.escaped(label, quotes: true))\""
        }
        if let bound { pairs.append("le=\"\(bound)\"") }
        let list = pairs.isEmpty ? "" : "{\(pairs.joined(separator: ","))}"
        text += "\(metric.rawValue)\(suffix)\(list) \(Self.number(value))\n"
    }

    /// All samples of one histogram.
    mutating func samples(_ metric: Metric, labels: [String] = [], of histogram: Histogram) {
        let reading = histogram.reading
        for (bound, count) in zip(histogram.bounds, reading.within) {
            sample(
                metric, suffix: "_bucket", labels: labels, bound: Self.number(bound), Double(count))
        }
        sample(metric, suffix: "_bucket", labels: labels, bound: "+Inf", Double(reading.count))
        sample(metric, suffix: "_sum", labels: labels, reading.sum)
        sample(metric, suffix: "_count", labels: labels, Double(reading.count))
    }

    /// Whole numbers without a fraction.
    static func number(_ value: Double) -> String {
        Int64(exactly: value).map(String.init) ?? "\(value)"
    }

    static func escaped(_ text: String, quotes: Bool) -> String {
        var out = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": out += "\\\\"
            case "\n": out += "\\n"
            case "\"" where quotes: out += "\\\""
            default: out.unicodeScalars.append(character)
            }
        }
        return out
    }
}
