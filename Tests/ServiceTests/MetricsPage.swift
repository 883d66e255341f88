import Events

@testable import Service

/// docs/metrics.md, made of the table of metrics.
enum MetricsPage {
    /// The page's text.
    static var markdown: String {
        """
        # Metrics

        <!-- Made from the table in Sources/Service/Metrics/Metric.swift by `make docs`; a test compares. -->

        `GET /metrics` on `admin-listen` answers Prometheus text, version 0.0.4. No label value comes from a device: the values of every label are listed below, so the number of series is bounded whatever clients send. A series begins with the first thing it counts, but for the accepted and repeated batches of each profile and for events, which are there from the start. Counters begin at 0 when the process does.

        `deploy/prometheus/` has alert rules and `deploy/grafana/` a dashboard that use these and no others.

        | metric | type | labels | |
        |---|---|---|---|
        \(Metric.allCases.map(line).joined(separator: "\n"))

        ## Labels

        | label | values |
        |---|---|
        \(labels.map { "| `\($0.name)` | \($0.values.map { "`\($0)`" }.joined(separator: ", ")) |" }.joined(separator: "\n"))

        `route` is the template of a path, `none` where no route of the listener fits or HTTP itself refuses the request. `profile` is `unknown` where the request's head does not tell. The `code` of accepted events is empty, which is the same as no label. `report` has the name of each report that has been asked for. What the codes mean is in [errors.md](errors.md).

        ## Buckets

        | histogram | upper bounds |
        |---|---|
        \(buckets.map { "| `\($0.0.rawValue)` | \($0.1.map(Exposition.number).joined(separator: ", ")), +Inf |" }.joined(separator: "\n"))

        `process_*` figures that the system does not tell, such as in a sandbox without `/proc`, are left out.

        """
    }

    private static func line(_ metric: Metric) -> String {
        let row = metric.row
        let labels = row.labels.map { "`\($0)`" }.joined(separator: ", ")
        return "| `\(metric.rawValue)` | \(row.kind.rawValue) | \(labels) | \(row.help) |"
    }

    private static var labels: [(name: String, values: [String])] {
        [
            ("route", RouteLabel.allCases.map(\.text)),
            ("status", StatusLabel.texts),
            ("profile", Meter.Layout.profiles.map { $0?.name ?? "unknown" }),
            ("outcome of batches", BatchOutcome.all.map(\.label)),
            ("outcome of events", ["accepted", "rejected"]),
            ("code", Meter.Layout.codes),
        ]
    }

    private static var buckets: [(Metric, [Double])] {
        [
            (.commitSeconds, Meters.commitBounds), (.commitBatches, Meters.groupBounds),
            (.reportSeconds, Meters.reportBounds),
        ]
    }
}
