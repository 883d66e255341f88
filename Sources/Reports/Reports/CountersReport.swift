import Query
import TimeZones

/// `counters`: how far each counter was counted up (`usage.counter`), how often and on how many
/// devices.
package enum CountersReport: ComputedReport {
    /// Its entry in the catalogue.
    package static let definition = ReportDefinition(
        name: "counters",
        summary: "how far each counter went up, in how many steps, on how many devices",
        parameters: Parameter.common + [.optionalInterval] + Parameter.filters + [.limit, .format],
        columns: [
            Column("date", .date, with: "interval", group: .key),
            Column("counter", .text, group: .key),
            Column("total", .integer, isDrawn: true),
            Column("increments", .integer, unit: "events"),
            Column("devices", .integer, unit: "devices", group: .count),
        ],
        rowNames: .devices, shape: .rows)

    package static func answer(
        _ question: Question, _ queries: any Queries
    ) throws(QueryError) -> Report {
        let sums = try queries.counters(
            question.scope, by: question.givenInterval, limit: question.limit)
        let buckets = question.givenBuckets
        let rows = sums.map { sum in
            Report.Row(
                [
                    .name(sum.name), .sum(Int128(sum.total)), .count(sum.events),
                    .count(sum.devices),
                ], in: sum.bucket, of: buckets)
        }
        return Report(question, rows: rows)
    }
}
