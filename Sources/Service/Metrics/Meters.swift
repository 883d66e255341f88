import Events
import Reports
import Synchronization

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
    /// Of requests to the engine.
    let forwardSeconds = Histogram(bounds: reportBounds, scale: 1_000_000_000)
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
    func total(at index: Int) -> Int {
        loops.reduce(writer.value(at: index) &+ judges.value(at: index)) {
            $0 &+ $1.value(at: index)
        }
    }

    func requests(_ route: RouteLabel, status: Int) -> Int {
        total(at: Meter.Layout.request(route, StatusLabel.index(of: status)))
    }

    func batches(_ outcome: BatchOutcome, profile: Profile?) -> Int {
        total(at: Meter.Layout.batch(outcome, profile))
    }

    var acceptedEvents: Int { total(at: Meter.Layout.acceptedEvents) }

    func rejectedEvents(_ code: String) -> Int { total(at: Meter.Layout.rejectedEvents(code)) }
}

/// Counts how often a value lay within each of several bounds. From any thread.
final class Histogram: Sendable {
    private struct State {
        /// Within each bound and no lower one; the last: beyond all.
        var counts: [Int]
        var sum = 0
    }

    /// The divisor of exported values: 1,000,000,000 for nanoseconds exported as seconds.
    let scale: Double
    /// Ascending, in exported units.
    let bounds: [Double]
    private let state: Mutex<State>

    init(bounds: [Double], scale: Double = 1) {
        self.bounds = bounds
        self.scale = scale
        state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    func observe(_ value: Int) {
        let scaled = Double(value) / scale
        let index = bounds.firstIndex { scaled <= $0 } ?? bounds.count
        state.withLock { state in
            state.counts[index] += 1
            state.sum &+= value
        }
    }

    /// How many values lay within each bound or a lower one, how many there were, and their sum.
    var reading: (within: [Int], count: Int, sum: Double) {
        let state = state.withLock { $0 }
        var running = 0
        let within = state.counts.dropLast().map { count in
            running += count
            return running
        }
        return (within, running + (state.counts.last ?? 0), Double(state.sum) / scale)
    }
}
