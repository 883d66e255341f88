import Query
import TimeZones

/// `lifetime`: how long devices stay, by the estimate of Kaplan and Meier.
package enum LifetimeReport: ComputedReport {
    /// What the catalogue says of it.
    package static let definition = ReportDefinition(
        name: "lifetime",
        summary:
            "how long devices first seen in the range stay, by the estimate of Kaplan and Meier",
        parameters: Parameter.common + [.inactive] + Parameter.filters + [.format],
        columns: [
            Column("day", .integer, unit: "days", group: .key),
            Column("at_risk", .integer, unit: "devices", group: .size),
            Column("lost", .integer, unit: "devices"),
            Column("survival", .decimal, unit: "ratio", isDrawn: true),
        ],
        members: [
            Column("devices", .integer, unit: "devices", group: ofRows),
            Column("lost", .integer, unit: "devices", group: ofRows),
            Column("censored", .integer, unit: "devices", group: ofRows),
            Column("median_lifetime", .integer, unit: "days", group: ofRows),
        ], shape: .rows)

    /// What becomes of a member: it goes with a row that it is made of.
    private static let ofRows = GroupRole.figure(of: [.own("at_risk")])

    package static func answer(
        _ question: Question, _ queries: any Queries
    ) throws(QueryError) -> Report {
        let lives = try queries.lifetimes(
            question.scope, inactive: question.integer("inactive") ?? 28)
        let devices = lives.reduce(0) { $0 + $1.ended }
        let allLost = lives.reduce(0) { $0 + $1.lost }
        var rows: [Report.Row] = []
        var survival = Survival()
        var median: Int?
        var shown = survival.rounded
        var atRisk = devices
        for place in lives.indices {
            try queries.check()
            if lives[place].lost > 0 {
                survival.lose(lives[place].lost, of: atRisk)
                shown = survival.rounded
            }
            if median == nil, survival.isAtMostHalf { median = place + 1 }
            rows.append(
                Report.Row([
                    .count(place + 1), .count(atRisk), .count(lives[place].lost),
                    .decimal(units: shown, places: Survival.places),
                ]))
            atRisk -= lives[place].ended
        }
        // In the first row all are at risk; those who were lost stand in all rows.
        let all = Array(rows.indices)
        return Report(
            question,
            members: [
                Report.Member("devices", .count(devices), of: Array(all.prefix(1))),
                Report.Member("lost", .count(allLost), of: all),
                Report.Member("censored", .count(devices - allLost), of: all),
                Report.Member(
                    "median_lifetime", median.map { .count($0) } ?? .null,
                    of: Array(all.prefix(median ?? all.count))),
            ], rows: rows)
    }
}
