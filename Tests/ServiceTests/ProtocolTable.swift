import Events
import Foundation
import Ingest
import JSON
import Sealing
import Service

/// The tables of docs/protocol.md that are made from the rules, as Markdown.
struct ProtocolTable {
    let name: String
    /// In `docs/`.
    let page: String
    let lines: [String]

    private init(
        _ name: String, in page: String = "protocol.md", _ header: [String], _ rows: [[String]]
    ) {
        self.name = name
        self.page = page
        let line = { (cells: [String]) in
            // An empty cell is one space wide.
            "|" + cells.map { $0.isEmpty ? " |" : " \($0) |" }.joined()
        }
        lines =
            [line(header), String(repeating: "|---", count: header.count) + "|"] + rows.map(line)
    }

    static let all = [members, events, names, limits, mapping, values]

    /// What becomes of an OTLP record.
    static let mapping = ProtocolTable(
        "mapping", in: "opentelemetry.md", ["sent", "becomes"],
        LogMapping.rows.map { [$0.sent, $0.becomes] })

    /// What becomes of a value there.
    static let values = ProtocolTable(
        "values", in: "opentelemetry.md", ["value", "becomes"],
        LogMapping.values.map { [$0.sent, $0.becomes] })

    /// Each rule of a batch, in their order.
    static let members = ProtocolTable(
        "members", ["", "member", "required", "rule", "if broken"],
        BatchRule.allCases.enumerated().map { place, rule in
            let status = Problem(ingest: .rule(rule)).code.status
            return [
                String(place + 1), rule.row.member, rule.row.required, rule.row.rule,
                "\(status) `\(rule.code)`",
            ]
        })

    /// Each rule of an event, in their order.
    static let events = ProtocolTable(
        "events", ["", "what", "rule", "code"],
        EventRule.allCases.compactMap { rule in rule.row.map { ($0, rule.code) } }.enumerated()
            .map { place, rule in
                [String(place + 1), rule.0.subject, rule.0.rule, "`\(rule.1)`"]
            })

    static let names = ProtocolTable(
        "names", ["name", "required attributes", "say it when"],
        StandardEvent.allCases.map { event in
            let optional = event.optional.map {
                "; optional `\($0.key)`, \(text($0.form)), 1 if absent"
            }
            return [
                "`\(event.name)`", "`\(event.required.key)`" + (optional ?? ""), event.meaning,
            ]
        } + [["any other", "none", "whatever your app means by it"]])

    static let limits = ProtocolTable(
        "limits", ["what", "limit"],
        [
            ["body as sent", "\(setting("max-body-bytes")) (keep below 64 KiB)"],
            ["body inflated", setting("max-inflated-bytes")],
            ["events in a batch", setting("max-batch-events")],
            [
                "JSON values and members' names in a body, unknown ones too",
                setting("max-elements"),
            ],
            ["JSON depth", "\(Scanner.maxDepth)"],
            ["`batch_id`", "\(BatchLimit.batchID) characters"],
            ["device identity", "1–\(BatchLimit.deviceID) bytes"],
            ["other `resource` members", "\(BatchLimit.resourceMember) bytes"],
            ["event name", "\(BatchLimit.eventName) bytes"],
            ["attributes of an event", "\(BatchLimit.attributes)"],
            ["attribute key", "1–\(BatchLimit.attributeKey) bytes"],
            ["attribute string", "\(grouped(BatchLimit.attributeText)) bytes"],
            ["`session.id`", text(StandardAttribute.sessionID.form, isLong: false)],
            [
                StandardAttribute.allCases
                    .filter { $0 != .sessionID && $0 != .counterValue }
                    .map { "`\($0.key)`" }.joined(separator: ", "),
                text(StandardAttribute.screenName.form, isLong: false),
            ],
            ["`counter.value`", text(StandardAttribute.counterValue.form, isLong: false)],
            ["integers", "±(2^53−1)"],
            [
                "age of an event",
                "\(setting("max-event-age")); \(BatchLimit.eventLead / 3_600_000) h ahead",
            ],
            [
                "`rs` of aes128gcm",
                "\(ContentCoding.recordSizes.lowerBound) … "
                    + grouped(ContentCoding.recordSizes.upperBound),
            ],
            [
                "request header",
                "\(setting("max-header-bytes")) in \(setting("max-header-fields")) fields; "
                    + "request line \(setting("max-request-line-bytes"))",
            ],
            [
                "time for a header, for a body",
                "\(setting("header-timeout")), \(setting("body-timeout"))",
            ],
        ])

    private static func text(_ form: StandardAttribute.Form, isLong: Bool = true) -> String {
        switch form {
        case .text(let bytes):
            (isLong ? "a string of " : "") + "\(bytes.lowerBound)–\(bytes.upperBound) bytes"
        case .integer(let range):
            (isLong ? "an integer " : "") + "\(range.lowerBound) … \(power(range.upperBound))"
        }
    }

    /// `10^9`.
    private static func power(_ value: Int64) -> String {
        let digits = String(value)
        return digits.dropFirst().allSatisfy { $0 == "0" } && digits.first == "1"
            ? "10^\(digits.count - 1)" : grouped(Int(value))
    }

    /// A setting's default as a person writes it: `1 MiB`, `400 days`, `5,000`.
    private static func setting(_ name: String) -> String {
        let text = Setting.byName[name]?.fallback ?? "none"
        guard let end = text.firstIndex(where: { !$0.isNumber }) else {
            return Int(text).map(grouped) ?? text
        }
        let unit = text[end...] == "d" ? "days" : String(text[end...])
        return text[..<end] + " " + unit
    }

    /// `5,000`.
    private static func grouped(_ number: Int) -> String {
        let digits = Array(String(number))
        return digits.indices.map { place in
            let left = digits.count - place
            return (place > 0 && left % 3 == 0 ? "," : "") + String(digits[place])
        }.joined()
    }
}
