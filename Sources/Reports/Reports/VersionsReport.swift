import Query

/// `versions`: how devices and sessions spread over the values of one member of the batches'
/// resources: which versions are still in use, and how one spreads from bucket to bucket.
package enum VersionsReport: ComputedReport {
    /// Its entry in the catalogue.
    package static let definition = ReportDefinition(
        name: "versions",
        summary: "which systems, models or versions of the app devices have, each counted once",
        parameters: Parameter.common + [
            .optionalInterval,
            Parameter(
                "dimension", "what devices are put together by",
                .choice(ResourceFilter.dimensions), isRequired: true),
        ] + Parameter.filters + [.limit, .format],
        columns: [
            Column("date", .date, with: "interval", group: .key),
            Column("value", .text, group: .key),
            Column("devices", .integer, unit: "devices", isDrawn: true, group: .count),
            Column("share", .decimal, unit: "ratio"),
            Column("sessions", .integer, unit: "sessions"),
            Column("new", .integer, unit: "devices", group: .count),
        ],
        rowNames: .devices, shape: .rows)

    package static func answer(
        _ question: Question, _ queries: any Queries
    ) throws(QueryError) -> Report {
        let dimension = question.choice("dimension") ?? ResourceFilter.dimensions[0]
        let versions = try queries.versions(
            question.scope, by: dimension, interval: question.givenInterval,
            limit: question.limit)
        let buckets = question.givenBuckets
        let rows = versions.values.map { value in
            Report.Row(
                [
                    .text(value.name), .count(value.devices),
                    .ratio(value.devices, over: versions.devices[value.bucket]),
                    .count(value.sessions), .count(value.new),
                ], in: value.bucket, of: buckets)
        }
        return Report(question, rows: rows)
    }
}
