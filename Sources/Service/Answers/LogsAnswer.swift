import HTTP1
import Ingest
import JSON
import Protobuf

/// The answer to a request to the logs endpoint whose records are on disk: an `ExportLogsServiceResponse`, empty where
/// all were taken (docs/opentelemetry.md).
enum LogsAnswer {
    /// Bytes of the text about rejected records.
    static let maxMessageBytes = 1000

    static func response(_ rejections: LogRejections, _ encoding: LogsEncoding) -> Response {
        Response(
            status: 200, contentType: encoding.mediaType,
            body: body(rejections, encoding))
    }

    private static func body(_ rejections: LogRejections, _ encoding: LogsEncoding) -> [UInt8] {
        let count = rejections.count
        switch encoding {
        case .protobuf:
            guard count > 0 else { return [] }
            var partial = MessageWriter()
            partial.number(1, UInt64(count))
            partial.text(2, message(rejections))
            var writer = MessageWriter()
            writer.message(1, partial.bytes)
            return writer.bytes
        case .json:
            var writer = JSON.Writer()
            writer.beginObject()
            if count > 0 {
                writer.name("partialSuccess")
                writer.beginObject()
                writer.member("rejectedLogRecords", String(count))
                writer.member("errorMessage", message(rejections))
                writer.endObject()
            }
            writer.endObject()
            return writer.bytes
        }
    }

    /// For each code `N CODE, first at R/S/L: DETAIL`. Where all do not fit, details give way: every code stays.
    private static func message(_ rejections: LogRejections) -> String {
        let heads = rejections.entries.map { "\($0.count) \($0.code), first at \($0.first): " }
        let separators = 2 * max(0, heads.count - 1)
        let room = maxMessageBytes - separators - heads.reduce(0) { $0 + $1.utf8.count }
        let share = max(0, room / max(1, heads.count))
        // What short ones leave over, long ones may have.
        let longest = zip(heads, rejections.entries).reduce(into: [Int]()) { lengths, pair in
            lengths.append(min(pair.1.detail.utf8.count, share))
        }
        var spare = room - longest.reduce(0, +)
        return zip(heads, zip(rejections.entries, longest)).map { head, pair in
            let (entry, granted) = pair
            let more = min(entry.detail.utf8.count - granted, max(0, spare))
            spare -= more
            // Details are ASCII.
            return head + String(decoding: entry.detail.utf8.prefix(granted + more), as: UTF8.self)
        }.joined(separator: "; ")
    }
}
