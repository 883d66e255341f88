import Dispatch
import Logging

/// A line a minute that tells what came in it, at level `info`.
final class TrafficLog {
    /// Seconds between two lines.
    static let period = 60

    private let timer: any DispatchSourceTimer

    init(_ core: ServiceCore) {
        let logger = core.logger
        var before = TrafficTotals()
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "sojourn.traffic"))
        timer.setEventHandler {
            let now = TrafficTotals(core.meters, receivedBytes: core.server?.receivedBytes ?? 0)
            if let counts = now.since(before) {
                logger.info("last minute", metadata: counts)
            }
            before = now
        }
        timer.schedule(deadline: .now() + .seconds(Self.period), repeating: .seconds(Self.period))
        timer.activate()
    }

    deinit { timer.cancel() }
}
