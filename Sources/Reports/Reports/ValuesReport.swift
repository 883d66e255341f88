import Query
import TimeZones

/// `values`: how a number spreads that events have: a load time, or a price.
package enum ValuesReport: ComputedReport {
    /// What the catalogue says of it.
    package static let definition = ReportDefinition(
        name: "values",
        summary: "how a number spreads that events carry: its sum, mean and percentiles",
        parameters: Parameter.common + [
            .optionalInterval,
            Parameter("name", "only events of this name", .text, isRequired: true),
            Parameter("of", "the attribute that has the number", .text, isRequired: true),
            Parameter(
                "by", "rows by the values of another attribute, or of one of the filters", .text),
        ] + Parameter.filters + [.limit, .format],
        columns: [
            Column("date", .date, with: "interval", group: .key),
            Column("value", .text, with: "by", group: .key),
            Column("count", .integer, unit: "events", isDrawn: true),
            Column("devices", .integer, unit: "devices", group: .countOrSize),
            Column("sum", .decimal),
            Column("mean", .decimal),
            Column("min", .decimal),
        ] + percents.map { Column("p\($0)", .decimal) } + [Column("max", .decimal)],
        members: [Column("without_number", .integer, unit: "events")],
        rowNames: .devicesWith("by"), shape: .rows)

    private static let percents = [50, 90, 95, 99]

    package static func answer(
        _ question: Question, _ queries: any Queries
    ) throws(QueryError) -> Report {
        let (name, threshold) = (question.text("name"), question.settings.minGroup)
        func spreads() throws(QueryError) -> NumberSpreads {
            try queries.numbers(
                question.scope, named: name, of: question.text("of"),
                by: question.texts("by").first.map(grouping), by: question.givenInterval,
                percents: percents, limit: question.limit)
        }
        let (numbers, senders): (NumberSpreads, Int?) =
            threshold > 1
            ? try queries.counting(question.scope, sending: name, upTo: threshold, spreads)
            : (try spreads(), nil)
        let buckets = question.givenBuckets
        let rows = numbers.spreads.map { spread in
            var cells: [Cell] = question.isGiven("by") ? [.name(spread.name)] : []
            cells += [
                .count(spread.count), .count(spread.devices), .millionths(spread.sum),
                spread.mean.map { .millionths($0) } ?? .null, .double(spread.least),
            ]
            cells += spread.ranks.map { .double($0) }
            cells.append(.double(spread.greatest))
            return Report.Row(cells, in: spread.bucket, of: buckets)
        }
        // What the rows take is charged as long as there are the spreads.
        defer { withExtendedLifetime(numbers) {} }
        return Report(
            question,
            members: [
                Report.Member(
                    "without_number", .count(numbers.withoutNumber), devices: senders)
            ], rows: rows)
    }

    /// One of the filters, else an attribute.
    private static func grouping(_ by: ByteText) -> NumberGrouping {
        ResourceFilter.dimensions.first { ByteText($0) == by }.map { .resource($0) }
            ?? .attribute(by)
    }
}
