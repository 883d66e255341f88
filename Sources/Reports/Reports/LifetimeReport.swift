import Query
import TimeZones

/// `lifetime`: how long devices stay, by the estimate of Kaplan and Meier.
package enum LifetimeReport: ComputedReport {
    /// Its entry in the catalogue.
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

    /// The role of a member: it is hidden if a row that it is made of is.
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
        for index in lives.indices {
            try queries.check()
            if lives[index].lost > 0 {
                survival.lose(lives[index].lost, of: atRisk)
                shown = survival.rounded
            }
            if median == nil, survival.isAtMostHalf { median = index + 1 }
            rows.append(
                Report.Row([
                    .count(index + 1), .count(atRisk), .count(lives[index].lost),
                    .decimal(units: shown, places: Survival.places),
                ]))
            atRisk -= lives[index].ended
        }
        // The first row has all devices at risk; the lost ones are in all rows.
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
