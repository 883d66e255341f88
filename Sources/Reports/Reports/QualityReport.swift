import Query
import TimeZones

/// `quality`: whether the numbers can be trusted, by the bucket in which batches arrived.
package enum QualityReport: ComputedReport {
    /// Its entry in the catalogue.
    package static let definition = ReportDefinition(
        name: "quality",
        summary: "whether the numbers can be trusted: what arrived when, how late, what is missing",
        parameters: Parameter.common + [.interval] + Parameter.filters + [.format],
        columns: [
            Column("date", .date, group: .key),
            Column("batches", .integer, unit: "batches", isDrawn: true),
            Column("duplicates", .integer, unit: "batches"),
            Column("events", .integer, unit: "events"),
            Column("rejected", .integer, unit: "events"),
            Column("bytes_received", .integer, unit: "bytes"),
            Column("corrected_batches", .integer, unit: "batches"),
            Column("late_p50", .decimal, unit: "seconds"),
            Column("late_p95", .decimal, unit: "seconds"),
            Column("missing_batches", .integer, unit: "batches"),
            Column("dropped_events", .integer, unit: "events"),
        ],
        members: [
            Column("by_profile", .object, unit: "batches"),
            Column("by_key", .object, unit: "batches"),
            Column("by_client", .object),
        ],
        sources: [.repeats], shape: .rows)

    /// Clients that have names of their own in the answer.
    private static let maxClients = 100

    package static func answer(
        _ question: Question, _ queries: any Queries
    ) throws(QueryError) -> Report {
        let arrivals = try queries.arrivals(
            question.scope, by: question.interval, percents: [50, 95], clients: maxClients)
        let rows = zip(question.buckets.starts, arrivals.buckets).map { start, bucket in
            let late = bucket.late.map { $0.map { Cell.seconds(Int128($0)) } ?? .null }
            return Report.Row(
                [
                    .date(start), .count(bucket.batches), .sum(bucket.duplicates),
                    .sum(bucket.events), .sum(bucket.rejected), .sum(bucket.bytes),
                    .count(bucket.corrected),
                ] + late + [.sum(bucket.missing), .sum(bucket.dropped)])
        }
        func counts(_ names: [(name: ByteText, batches: Int)]) -> Cell {
            .counts(names.map { NamedCount($0.name, $0.batches) })
        }
        return Report(
            question,
            members: [
                Report.Member("by_profile", counts(arrivals.profiles)),
                Report.Member("by_key", counts(arrivals.keys)),
                Report.Member("by_client", sums(arrivals.clients)),
            ], rows: rows)
    }

    /// No client is called `other`: each has a `/`.
    private static func sums(_ clients: Arrivals.Clients) -> Cell {
        func named(_ name: ByteText, _ sums: Arrivals.ClientSums) -> NamedCounts {
            NamedCounts(
                name,
                [
                    NamedCount(ByteText("batches"), sums.batches),
                    NamedCount(ByteText("rejected"), Int(sums.rejected)),
                    NamedCount(ByteText("dropped_events"), Int(sums.dropped)),
                ])
        }
        let others = clients.others.map { [named(ByteText("other"), $0)] } ?? []
        return .countsByName(clients.named.map { named($0.name, $0.sums) } + others)
    }
}
