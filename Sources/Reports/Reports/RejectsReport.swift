import Query
import TimeZones

/// `rejects`: what was refused and why, by the bucket in which it arrived.
package enum RejectsReport: ComputedReport {
    /// Its entry in the catalogue.
    package static let definition = ReportDefinition(
        name: "rejects",
        summary: "which batches and events were refused, and for which reason",
        parameters: Parameter.common + [.interval, .format],
        columns: [
            Column("date", .date, group: .key),
            Column("code", .text, group: .key),
            Column("batches", .integer, unit: "batches"),
            Column("events", .integer, unit: "events"),
        ],
        sources: [.refusals], shape: .rows)

    package static func answer(
        _ question: Question, _ queries: any Queries
    ) throws(QueryError) -> Report {
        let sums = try queries.refusals(question.scope, by: question.interval)
        let starts = question.buckets.starts
        let rows = sums.map { sum in
            Report.Row([
                .date(starts[sum.bucket]), .text(sum.code), .sum(sum.batches), .sum(sum.events),
            ])
        }
        return Report(question, rows: rows)
    }
}
