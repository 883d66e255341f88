import Query
import TimeZones

/// `lengths`: how long sessions were, from those of a glance to those of an hour.
package enum LengthsReport: ComputedReport {
    /// What the catalogue says of it.
    package static let definition = ReportDefinition(
        name: "lengths",
        summary: "how the durations of sessions spread, from a glance to an hour and more",
        parameters: Parameter.common + Parameter.filters + [.format],
        columns: [
            Column("at_least", .integer, unit: "seconds", group: .key),
            Column("below", .integer, unit: "seconds", group: .key),
            Column("sessions", .integer, unit: "sessions", isDrawn: true),
            Column("share", .decimal, unit: "ratio"),
            Column("devices", .integer, unit: "devices", group: .size),
        ],
        hidesZeros: true, shape: .rows)

    /// Seconds at which a length begins, which the next one ends.
    private static let edges = [0, 3, 10, 30, 60, 180, 600, 1800, 3600]

    package static func answer(
        _ question: Question, _ queries: any Queries
    ) throws(QueryError) -> Report {
        let lengths = try queries.lengths(question.scope, edges: edges.map { Int64($0) * 1000 })
        let sessions = lengths.reduce(0) { $0 + $1.sessions }
        let rows = lengths.enumerated().map { index, length in
            Report.Row([
                .count(edges[index]),
                index + 1 < edges.count ? .count(edges[index + 1]) : .null,
                .count(length.sessions), .ratio(length.sessions, over: sessions),
                .count(length.devices),
            ])
        }
        return Report(question, rows: rows)
    }
}
