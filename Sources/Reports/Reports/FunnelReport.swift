import Query

/// `funnel`: how many devices get how far.
package enum FunnelReport: ComputedReport {
    /// Its entry in the catalogue.
    package static let definition = ReportDefinition(
        name: "funnel",
        summary: "how many devices get how far through steps in order: order, menu, checkout",
        parameters: Parameter.common + [.step, .within] + Parameter.filters + [.format],
        columns: [
            Column("step", .integer, group: .key),
            Column("matcher", .text, group: .key),
            Column("devices", .integer, unit: "devices", isDrawn: true, group: .count),
            Column(
                "from_first", .decimal, unit: "ratio",
                group: .figure(of: [.own("devices"), .first("devices")])),
            Column(
                "from_previous", .decimal, unit: "ratio",
                group: .figure(of: [.own("devices"), .previous("devices")])),
        ],
        hidesZeros: true, shape: .rows)

    package static func answer(
        _ question: Question, _ queries: any Queries
    ) throws(QueryError) -> Report {
        let steps = question.steps
        let reached = try queries.funnel(question.scope, steps, within: question.within)
        let rows = steps.enumerated().map { index, step in
            let devices = reached[index]
            return Report.Row([
                .count(index + 1), .text(step.text), .count(devices),
                .ratio(devices, over: reached[0]),
                index == 0 ? .null : .ratio(devices, over: reached[index - 1]),
            ])
        }
        return Report(question, rows: rows)
    }
}
