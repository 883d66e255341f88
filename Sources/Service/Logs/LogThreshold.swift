import Logging
import Synchronization

/// The least severe level that is logged: shared by all loggers, so that SIGHUP can change it.
package final class LogThreshold: Sendable {
    private let level: Mutex<Logging.Logger.Level>

    package init(_ level: Logging.Logger.Level) { self.level = Mutex(level) }

    package var value: Logging.Logger.Level {
        get { level.withLock { $0 } }
        set { level.withLock { $0 = newValue } }
    }
}
