import Database
import Storage
import TimeZones

/// `lifetime`: how long devices stay, by the estimate of Kaplan and Meier. Its state is the last
/// active day of each device: merging is the greater one.
package enum LifetimeReport {
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
        ],
        answer: .rows { question, reading throws(StorageError) in
            try run(question, reading)
        })

    /// What becomes of a member: it goes with a row that it is made of.
    private static let ofRows = GroupRole.figure(of: [.own("at_risk")])

    /// By device.
    private struct LastDays: ReportShare {
        var days: [Int]

        mutating func merge(_ other: LastDays) {
            for place in days.indices { days[place] = max(days[place], other.days[place]) }
        }
    }

    private static func run(
        _ question: Question, _ reading: Reading
    ) throws(StorageError) -> Report {
        let devices = try Newcomers(question, reading)
        let scan = try DayScan(
            question, from: question.from, to: question.to, filter: .everything, reading)
        // Once more for each thread.
        let room = HeldOctets(
            reading.account, devices.firstDays.octets * (reading.threads + 1))
        defer { withExtendedLifetime(room) {} }
        let lastDays = try scan.collect(LastDays(days: devices.firstDays), reading) {
            (last, device, _, day) in
            guard let code = devices.codes.known(device) else { return }
            last.days[code] = max(last.days[code], day)
        }.days
        // By length of life, from one day on: how many ended so, and how many of these by loss.
        var ended: [Int] = []
        var lost: [Int] = []
        let inactive = question.integer("inactive") ?? 28
        for (first, last) in zip(devices.firstDays, lastDays) {
            let length = last - first + 1
            while ended.count < length {
                ended.append(0)
                lost.append(0)
            }
            ended[length - 1] += 1
            if question.to.number - last >= inactive { lost[length - 1] += 1 }
        }
        return try report(question, ended: ended, lost: lost, reading)
    }

    private static func report(
        _ question: Question, ended: [Int], lost: [Int], _ reading: Reading
    ) throws(StorageError) -> Report {
        let devices = ended.reduce(0, +)
        let allLost = lost.reduce(0, +)
        var rows: [Report.Row] = []
        var survival = Survival()
        var median: Int?
        var shown = survival.rounded
        var atRisk = devices
        for place in ended.indices {
            try reading.check()
            if lost[place] > 0 {
                survival.lose(lost[place], of: atRisk)
                shown = survival.rounded
            }
            if median == nil, survival.isAtMostHalf { median = place + 1 }
            rows.append(
                Report.Row([
                    .count(place + 1), .count(atRisk), .count(lost[place]),
                    .decimal(units: shown, places: Survival.places),
                ]))
            atRisk -= ended[place]
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
