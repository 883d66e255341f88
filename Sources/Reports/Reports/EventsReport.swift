import Query
import TimeZones

/// `events`: which events happened how often, and on how many devices; of one name also by the
/// values of one attribute.
package enum EventsReport: ComputedReport {
    /// Its entry in the catalogue.
    package static let definition = ReportDefinition(
        name: "events",
        summary: "which events happened how often, on how many devices; or with which values",
        parameters: Parameter.common + [
            .optionalInterval,
            Parameter("name", "with by: only events of this name", .text),
            Parameter(
                "by", "with name, without interval: rows by the values of this attribute", .text),
        ] + Parameter.filters + [.limit, .format],
        columns: [
            Column("date", .date, with: "interval", group: .key),
            Column("name", .text, without: "by", group: .key),
            Column("value", .text, with: "by", group: .key),
            Column("events", .integer, unit: "events", isDrawn: true),
            Column("devices", .integer, unit: "devices", group: .count),
        ],
        rowNames: .devices,
        check: { question throws(ReportError) in
            guard question.isGiven("name") || question.isGiven("by") else { return }
            for name in ["name", "by"] where !question.isGiven(name) {
                throw ReportError(
                    .missingParameter, "\(name) is required: name and by are given together")
            }
            if question.isGiven("interval") {
                throw .invalid("interval", "must not be given together with name and by")
            }
        }, shape: .rows)

    package static func answer(
        _ question: Question, _ queries: any Queries
    ) throws(QueryError) -> Report {
        let sums: [NamedSum]
        if let name = question.texts("name").first, let key = question.texts("by").first {
            sums = try queries.events(
                question.scope, named: name, byAttribute: key, limit: question.limit)
        } else {
            sums = try queries.events(
                question.scope, by: question.givenInterval, limit: question.limit)
        }
        let buckets = question.givenBuckets
        let rows = sums.map { sum in
            Report.Row(
                [.name(sum.name), .count(sum.events), .count(sum.devices)], in: sum.bucket,
                of: buckets)
        }
        return Report(question, rows: rows)
    }
}
