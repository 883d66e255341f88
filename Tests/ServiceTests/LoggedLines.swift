import Logging
import Synchronization

/// What was logged, without level and moment.
final class LoggedLines: Sendable {
    private let texts = Mutex<[String]>([])

    var lines: [String] { texts.withLock { $0 } }
    var handler: any LogHandler { Handler(lines: self) }

    private struct Handler: LogHandler {
        let lines: LoggedLines
        var metadata: Logging.Logger.Metadata = [:]
        var logLevel = Logging.Logger.Level.trace

        subscript(metadataKey key: String) -> Logging.Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { lines.texts.withLock { $0.append("\(event.message)") } }
    }
}
