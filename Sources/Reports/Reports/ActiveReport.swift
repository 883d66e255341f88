import Query
import TimeZones

/// `active`: how many devices had an event in each bucket.
package enum ActiveReport: ComputedReport {
    /// Its entry in the catalogue.
    package static let definition = ReportDefinition(
        name: "active",
        summary: "how many devices used the app, and how many of them for the first time",
        parameters: Parameter.common + [.intervalOrAll] + Parameter.filters + [.format],
        columns: [
            Column("date", .date, group: .key),
            Column("active", .integer, unit: "devices", isDrawn: true, group: .count),
            Column("active_7d", .integer, unit: "devices", only: [.day], group: .count),
            Column("active_30d", .integer, unit: "devices", only: [.day], group: .count),
            Column("new", .integer, unit: "devices", group: .count),
            Column(
                "stickiness", .decimal, unit: "ratio", only: [.day],
                group: .figure(of: [.own("active"), .own("active_30d")])),
        ],
        members: [
            Column(
                "monthly_average", .decimal, unit: "devices", only: [.month],
                group: .figure(of: [.own("active")]))
        ],
        hidesZeros: true, shape: .rows)

    package static func answer(
        _ question: Question, _ queries: any Queries
    ) throws(QueryError) -> Report {
        let days = [7, 30]
        let values = try queries.activeDevices(
            question.scope, by: question.interval, trailing: question.interval == .day ? days : [])
        let buckets = question.buckets
        let rows = zip(buckets.starts, values).map { start, value in
            if question.interval == .day {
                Report.Row([
                    .date(start), .count(value.active), .count(value.trailing[0]),
                    .count(value.trailing[1]), .count(value.new),
                    .ratio(value.active, over: value.trailing[1]),
                ])
            } else {
                Report.Row([.date(start), .count(value.active), .count(value.new)])
            }
        }
        var report = Report(question, rows: rows)
        if question.interval == .month {
            let whole = (0..<buckets.count).filter(buckets.isWhole)
            let sum = whole.reduce(0) { $0 + values[$1].active }
            report.members.append(
                Report.Member(
                    "monthly_average",
                    .quotient(Int128(sum), over: Int128(whole.count), places: 3), of: whole))
        }
        return report
    }
}
