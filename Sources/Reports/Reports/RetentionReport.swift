import Query
import TimeZones

/// `retention`: who comes back.
package enum RetentionReport: ComputedReport {
    /// Its entry in the catalogue.
    package static let definition = ReportDefinition(
        name: "retention",
        summary: "how many of the devices first seen in a period came back in the ones after it",
        parameters: Parameter.common + [.cohort, .periods] + Parameter.filters + [.format],
        columns: [
            Column("cohort", .date, group: .key),
            Column("size", .integer, unit: "devices", group: .size),
            Column(
                "p", .integer, unit: "devices", numberedBy: Parameter.periods.name, isDrawn: true,
                group: .count),
        ],
        hidesZeros: true, sources: [.today], shape: .rows)

    package static func answer(
        _ question: Question, _ queries: any Queries
    ) throws(QueryError) -> Report {
        let cohorts = try queries.cohorts(
            question.scope, by: question.cohort, periods: question.periods)
        let starts = question.scope.buckets(by: question.cohort).starts
        let rows = zip(starts, cohorts).map { start, cohort in
            Report.Row(
                [.date(start), .count(cohort.size)]
                    + cohort.active.map { $0.map { .count($0) } ?? .null })
        }
        return Report(question, rows: rows)
    }
}
