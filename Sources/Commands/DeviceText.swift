import Reports
import Service

/// A device's record as `device show` prints it.
enum DeviceText {
    static func members(_ record: DeviceRecord, app: String) -> [(String, JSONValue)] {
        [
            ("app", .text(app)), ("device", .text(record.device.hex)),
            ("shared", .bool(record.isShared)),
            ("first_seen", integer(record.firstSeen)),
            ("first_event", integer(record.firstEvent)), ("last_event", integer(record.lastEvent)),
            ("first_arrival", integer(record.firstArrival)),
            ("last_arrival", integer(record.lastArrival)),
            ("batches", .integer(record.batches)), ("events", .integer(record.events)),
            ("rejected", .integer(record.rejected)), ("sessions", .integer(record.sessions)),
            (
                "resources",
                .array(
                    record.resources.map { members in
                        .object(members.map { ($0.name, .text($0.value)) })
                    })
            ),
        ]
    }

    static func lines(_ record: DeviceRecord, app: String) -> String {
        var lines: [[String]] = [
            ["app", app], ["device", record.device.hex + (record.isShared ? " (shared)" : "")],
            ["first seen", moment(record.firstSeen)],
            ["events", "\(record.events)" + span(record.firstEvent, record.lastEvent)],
            ["batches", "\(record.batches)" + span(record.firstArrival, record.lastArrival)],
            ["rejected events", "\(record.rejected)"], ["sessions", "\(record.sessions)"],
        ]
        for members in record.resources {
            lines.append(
                [
                    "resource",
                    members.map { "\($0.name) \($0.value)" }.joined(separator: ", "),
                ])
        }
        return TextTable.render(header: ["WHAT", "IS"], lines: lines)
    }

    private static func integer(_ value: Int64?) -> JSONValue {
        value.map(JSONValue.integer) ?? .null
    }

    private static func moment(_ value: Int64?) -> String { value.map(Moment.text) ?? "never" }

    private static func span(_ first: Int64?, _ last: Int64?) -> String {
        guard let first, let last else { return "" }
        return ", from \(Moment.text(first)) to \(Moment.text(last))"
    }
}
