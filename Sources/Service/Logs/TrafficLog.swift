import Dispatch
import Logging

/// A line a minute that tells what came in it, at level `info`, and one at the end for the rest.
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

    /// Tells what came since the last line, and no more.
    func end() {
        timer.cancel()
        queue.sync(execute: tell)
    }
}
