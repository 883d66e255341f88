import Query
import TimeZones

/// `sessions`: how many began in each bucket, and how long they were.
package enum SessionsReport: ComputedReport {
    /// Its entry in the catalogue.
    package static let definition = ReportDefinition(
        name: "sessions",
        summary: "how many sessions began, of how many devices, how long they were, how they ended",
        parameters: Parameter.common + [.intervalOrAll] + Parameter.filters + [.format],
        columns: [
            Column("date", .date, group: .key),
            Column("sessions", .integer, unit: "sessions", isDrawn: true),
            Column("devices", .integer, unit: "devices", group: .size),
            Column("sessions_per_device", .decimal, unit: "ratio"),
            Column("duration_mean", .decimal, unit: "seconds"),
            Column("duration_p50", .decimal, unit: "seconds"),
            Column("duration_p90", .decimal, unit: "seconds"),
            Column("duration_p95", .decimal, unit: "seconds"),
            Column("total_duration", .decimal, unit: "seconds"),
            Column("closed", .integer, unit: "sessions"),
            Column("inferred", .integer, unit: "sessions"),
            Column("open", .integer, unit: "sessions"),
        ],
        sources: [.openSessions], shape: .rows)

    package static func answer(
        _ question: Question, _ queries: any Queries
    ) throws(QueryError) -> Report {
        let sums = try queries.sessions(
            question.scope, by: question.interval, percents: [50, 90, 95])
        let rows = zip(question.buckets.starts, sums).map { start, sum in
            Report.Row(
                [
                    .date(start), .count(sum.sessions), .count(sum.devices),
                    .ratio(sum.unshared, over: sum.devices),
                    .meanSeconds(sum.duration, count: sum.sessions),
                ] + sum.ranks.map { $0.map { .seconds(Int128($0)) } ?? .null } + [
                    .seconds(sum.duration), .count(sum.closed), .count(sum.inferred),
                    .count(sum.open),
                ])
        }
        return Report(question, rows: rows)
    }
}
