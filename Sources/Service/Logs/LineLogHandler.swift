import Glibc
import JSON
import Logging

/// Writes log lines to standard error: for people, or one JSON object a line for machines
/// (docs/operation.md, Logs). What is logged never holds a raw device id, a secret, a token or a
/// body; that is the caller's promise. That a line is one line is kept here.
package struct LineLogHandler: LogHandler {
    package enum Format: String, Sendable { case text, json }

    package var metadata: Logging.Logger.Metadata = [:]
    private let form: LogLineForm
    private let level: LogThreshold

    package init(_ form: LogLineForm, level: LogThreshold) {
        self.form = form
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
            .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        let octets = Array(
            form.line(
                event.level, "\(event.message)", merged, at: Timestamp.milliseconds
            ).utf8)
        octets.withUnsafeBytes { bytes in
            // One write a line, so that lines of several threads never mix.
            _ = Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        }
    }
}
