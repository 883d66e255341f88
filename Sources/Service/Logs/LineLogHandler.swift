import Glibc
import JSON
import Logging
import Synchronization

/// Makes log lines, for standard error: for people, or one JSON object a line for machines
/// (docs/operation.md, Logs). What is logged never holds a raw device id, a secret, a token or a
/// body; that is the caller's promise. That a line is one line is kept here.
package struct LineLogHandler: LogHandler {
    package enum Format: String, Sendable { case text, json }

    package var metadata: Logging.Logger.Metadata = [:]
    private let form: LogLineForm
    private let level: LogThreshold
    private let output: LogOutput

    package init(_ form: LogLineForm, level: LogThreshold, to output: LogOutput) {
        self.form = form
        self.level = level
        self.output = output
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
        output.write(
            Array(
                form.line(
                    event.level, "\(event.message)", merged, at: Timestamp.milliseconds
                ).utf8))
    }
}

/// How a log line looks. Pure.
package struct LogLineForm: Sendable {
    package let format: LineLogHandler.Format
    /// The journal reads the lines: it takes the level from a prefix (sd-daemon(3)) and knows the time.
    package let isForJournal: Bool

    package init(_ format: LineLogHandler.Format, isForJournal: Bool = false) {
        self.format = format
        self.isForJournal = isForJournal
    }

    /// One line with its end.
    /// - Parameters:
    ///   - fields: names and values after the message
    ///   - moment: milliseconds since 1970
    func line(
        _ level: Logging.Logger.Level, _ message: String,
        _ fields: [(String, Logging.Logger.MetadataValue)],
        at moment: Int64
    ) -> String {
        let prefix = isForJournal ? "<\(Self.priority(of: level))>" : ""
        let time = Timestamp.text(moment)
        switch format {
        case .text:
            let head = isForJournal ? "" : "\(time) \(level.rawValue) "
            let pairs = fields.map { " \($0.0)=\($0.1)" }.joined()
            return prefix + Printable.text(head + message + pairs) + "\n"
        case .json:
            let members: [(String, JSONValue)] = [
                ("time", .text(time)), ("level", .text(level.rawValue)),
                ("message", .text(message)),
            ]
            return prefix + JSONValue.object(members + fields.map { ($0.0, Self.json($0.1)) }).text
                + "\n"
        }
    }

    /// The line that stands for some that were dropped.
    func line(ofDropped lines: Int) -> String {
        line(
            .warning, "dropped lines: standard error did not take them in time",
            [("lines", .stringConvertible(lines))], at: Timestamp.milliseconds)
    }

    /// Numbers stay numbers.
    private static func json(_ value: Logging.Logger.MetadataValue) -> JSONValue {
        guard case .stringConvertible(let value) = value else { return .text("\(value)") }
        return switch value {
        case let number as Int: .integer(Int64(number))
        case let flag as Bool: .bool(flag)
        default: .text(value.description)
        }
    }

    /// As syslog(3) numbers them.
    static func priority(of level: Logging.Logger.Level) -> Int {
        switch level {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}

/// The least severe level that is logged: shared by all loggers, so that SIGHUP can change it. Asked
/// for each request: a number that no thread waits for.
package final class LogThreshold: Sendable {
    private static let levels = Logging.Logger.Level.allCases

    private let levelIndex: Atomic<Int>

    package init(_ level: Logging.Logger.Level) {
        levelIndex = Atomic(Self.levels.firstIndex(of: level) ?? 0)
    }

    package var value: Logging.Logger.Level {
        get { Self.levels[levelIndex.load(ordering: .relaxed)] }
        set { levelIndex.store(Self.levels.firstIndex(of: newValue) ?? 0, ordering: .relaxed) }
    }
}

/// Whether standard error goes to systemd's journal.
enum JournalStream {
    /// `JOURNAL_STREAM` names the stream that systemd made, `DEVICE:INODE` (systemd.exec(5)). A process may have
    /// inherited the variable and write elsewhere; so the two are compared.
    /// - Parameters:
    ///   - variable: its value, nil where it is not set
    ///   - descriptor: to be compared with it
    static func isJournal(variable: String?, descriptor: Int32) -> Bool {
        guard let variable else { return false }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        return variable == "\(status.st_dev):\(status.st_ino)"
    }

    /// Of this process's standard error.
    static var isStandardError: Bool {
        isJournal(
            variable: getenv("JOURNAL_STREAM").map { String(cString: $0) },
            descriptor: STDERR_FILENO)
    }
}
