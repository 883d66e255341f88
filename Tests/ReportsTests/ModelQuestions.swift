import Query
import Reports
import StoreTestSupport
import TestSupport
import TimeZones

/// What a store is asked that was made by random steps.
struct ModelQuestions {
    typealias Pairs = [(name: String, value: String)]

    /// What a report asks for besides the app and the days: one of these, the first without a choice.
    private static let asked: [String: [Pairs]] = [
        "versions": [
            [("dimension", "os.name")], [("dimension", "os.version"), ("interval", "week")],
        ],
        "values": [
            [("name", "p"), ("of", "k")],
            [("name", "p"), ("of", "k"), ("by", "l"), ("interval", "day")],
        ],
        "funnel": [[("step", "session.start"), ("step", "screen.view"), ("step", "p")]],
        "events": [[], [("interval", "week")], [("name", "p"), ("by", "k")]],
        "active": [[], [("interval", "all")]], "sessions": [[], [("interval", "all")]],
        "counters": [[], [("interval", "month")]],
        "retention": [[], [("cohort", "week")], [("cohort", "month"), ("periods", "2")]],
        "lifetime": [[], [("inactive", "2")]],
    ]

    let days: Pairs
    let filter: Pairs

    /// Of some days around the population's, now and then of some devices alone.
    init(_ random: inout SplitMix) {
        let from = CivilDate(number: 20_540 - random.next(30))
        days = range(from.text, from.adding(days: random.next(60)).text)
        filter = random.pick([[], [], [("os.name", "iOS"), ("os.name", "unknown")]] as [Pairs])
    }

    /// Of a report, with some of its choices.
    func some(_ report: ReportDefinition, _ random: inout SplitMix) -> Pairs {
        let isFiltered = report.parameters.contains { $0.name == "os.name" }
        return days + random.pick(Self.asked[report.name] ?? [[]]) + (isFiltered ? filter : [])
    }

    /// The same each time.
    static func fixed(_ report: ReportDefinition) -> Pairs {
        range("2026-02-10", "2026-04-30") + (asked[report.name] ?? [[]])[0]
    }

    static func question(
        _ report: ReportDefinition, _ pairs: Pairs, _ app: QueryApp, now: Int64
    ) throws -> Question {
        try Question(
            report, ParameterList([(name: "app", value: app.name)] + pairs), app: app, now: now,
            settings: ReportSettings(minGroup: 1))
    }

    /// All lines of an export.
    static func text(
        of pages: ExportLines, next: (inout ExportLines) throws -> [UInt8]
    ) throws -> String {
        var pages = pages
        var out: [UInt8] = []
        while !pages.isDone { out += try next(&pages) }
        return String(decoding: out, as: UTF8.self)
    }
}
