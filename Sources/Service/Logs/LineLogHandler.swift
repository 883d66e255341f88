import Glibc
import Logging
import Synchronization

/// Writes log lines to standard error: for people, or one JSON object a line for machines
/// (docs/operation.md, Settings). What is logged never holds a raw device id, a secret, a token or a
/// body; that is the caller's promise.
package struct LineLogHandler: LogHandler {
    package enum Format: String, Sendable { case text, json }

    package var metadata: Logging.Logger.Metadata = [:]
    private let format: Format
    private let level: LogThreshold

    package init(format: Format, level: LogThreshold) {
        self.format = format
        self.level = level
    }

    package var logLevel: Logging.Logger.Level {
        get { level.value }
        set { level.value = newValue }
    }

    package subscript(metadataKey key: String) -> Logging.Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let merged = metadata.merging(event.metadata ?? [:]) { _, new in new }
            .sorted { $0.key < $1.key }
        let line: String
        switch format {
        case .text:
            let pairs = merged.map { " \($0.key)=\($0.value)" }.joined()
            line = "\(Timestamp.now) \(event.level.rawValue) \(event.message)\(pairs)\n"
        case .json:
            var members: [(String, JSONValue)] = [
                ("time", .text(Timestamp.now)), ("level", .text(event.level.rawValue)),
                ("message", .text("\(event.message)")),
            ]
            members += merged.map { ($0.key, .text("\($0.value)")) }
            line = JSONValue.object(members).text + "\n"
        }
        let octets = Array(line.utf8)
        octets.withUnsafeBytes { bytes in
            // One write a line, so that lines of several threads never mix.
            _ = Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        }
    }
}
