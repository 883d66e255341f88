import Events
import Reports

/// All that is counted: a meter for each event loop, one for the writer and one for the judges, and
/// the histograms, which are rarely written.
final class Meters: Sendable {
    /// Seconds.
    static let commitBounds = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
    ]
    static let groupBounds: [Double] = [1, 2, 4, 8, 16, 32, 64, 128, 256]
    /// Seconds.
    static let reportBounds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60]

    let writer = Meter()
    let judges = Meter()
    let commitSeconds = Histogram(bounds: commitBounds, scale: 1_000_000_000)
    let commitBatches = Histogram(bounds: groupBounds)
    /// By the report's name.
    let reportSeconds: [String: Histogram]
    private let loops: [Meter]

    init(loops: Int) {
        self.loops = (0..<max(1, loops)).map { _ in Meter() }
        reportSeconds = Dictionary(
            ReportDefinition.all.map {
                ($0.name, Histogram(bounds: Self.reportBounds, scale: 1_000_000_000))
            }
        ) { first, _ in first }
    }

    /// The meter of an event loop.
    func loop(_ number: Int) -> Meter {
        loops[Int(UInt(bitPattern: number) % UInt(loops.count))]
    }

    /// The sum of one count over all meters.
    func total(at place: Int) -> Int {
        loops.reduce(writer.value(at: place) &+ judges.value(at: place)) {
            $0 &+ $1.value(at: place)
        }
    }

    func requests(_ route: RouteLabel, status: Int) -> Int {
        total(at: Meter.Layout.request(route, StatusLabel.place(of: status)))
    }

    func batches(_ outcome: BatchOutcome, profile: Profile?) -> Int {
        total(at: Meter.Layout.batch(outcome, profile))
    }

    var acceptedEvents: Int { total(at: Meter.Layout.acceptedEvents) }

    func rejectedEvents(_ code: String) -> Int { total(at: Meter.Layout.rejectedEvents(code)) }
}
