import Query
import TimeZones

/// `hours`: in which hours of the week the app is used.
package enum HoursReport: ComputedReport {
    /// What the catalogue says of it.
    package static let definition = ReportDefinition(
        name: "hours",
        summary: "when the app is used: events, devices and sessions in each hour of the week",
        parameters: Parameter.common + Parameter.filters + [.format],
        columns: [
            Column("weekday", .integer, group: .key),
            Column("hour", .integer, group: .key),
            Column("events", .integer, unit: "events", isDrawn: true),
            Column("devices", .integer, unit: "devices", group: .size),
            Column("sessions", .integer, unit: "sessions"),
        ],
        layout: .week, hidesZeros: true, shape: .rows)

    package static func answer(
        _ question: Question, _ queries: any Queries
    ) throws(QueryError) -> Report {
        let rows = try queries.hours(question.scope).enumerated().map { hour, sums in
            Report.Row([
                .count(hour / 24 + 1), .count(hour % 24), .count(sums.events),
                .count(sums.devices), .count(sums.sessions),
            ])
        }
        return Report(question, rows: rows)
    }
}
