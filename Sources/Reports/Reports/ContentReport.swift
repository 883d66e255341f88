import Query
import TimeZones

/// `content`: what is read, and what is read to the end.
package enum ContentReport: ComputedReport {
    /// Its entry in the catalogue.
    package static let definition = ReportDefinition(
        name: "content",
        summary: "which content is seen, by how many devices, and by how many to the end",
        parameters: Parameter.common + Parameter.filters + [.limit, .format],
        columns: [
            Column("content", .text, group: .key),
            Column("views", .integer, unit: "events", group: .figure(of: [.own("viewers")])),
            Column("viewers", .integer, unit: "devices", isDrawn: true, group: .count),
            Column(
                "completions", .integer, unit: "events",
                group: .figure(of: [.own("completers")])),
            Column("completers", .integer, unit: "devices", group: .count),
            Column(
                "completion_rate", .decimal, unit: "ratio",
                group: .figure(of: [.own("viewers"), .own("completers")])),
            Column("credited", .integer, unit: "devices", group: .count),
        ],
        rowNames: .devices, shape: .rows)

    package static func answer(
        _ question: Question, _ queries: any Queries
    ) throws(QueryError) -> Report {
        let contents = try queries.contents(question.scope, limit: question.limit)
        let rows = contents.map { sums in
            Report.Row([
                .text(sums.content), .count(sums.views), .count(sums.viewers),
                .count(sums.completions), .count(sums.completers),
                .ratio(sums.completers, over: sums.viewers), .count(sums.credited),
            ])
        }
        return Report(question, rows: rows)
    }
}
