import Logging
import Synchronization

/// The least severe level that is logged: shared by all loggers, so that SIGHUP can change it. Asked
/// for each request: a number that no thread waits for.
package final class LogThreshold: Sendable {
    private static let levels = Logging.Logger.Level.allCases

    private let place: Atomic<Int>

    package init(_ level: Logging.Logger.Level) {
        place = Atomic(Self.levels.firstIndex(of: level) ?? 0)
    }

    package var value: Logging.Logger.Level {
        get { Self.levels[place.load(ordering: .relaxed)] }
        set { place.store(Self.levels.firstIndex(of: newValue) ?? 0, ordering: .relaxed) }
    }
}
