import JSON
import Logging

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
    ///   - fields: names and values behind the message
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
