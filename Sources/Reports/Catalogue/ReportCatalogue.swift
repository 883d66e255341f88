import Query

/// All reports: a new one is a file in `Reports` and a line here.
enum ReportCatalogue {
    /// The reports of rows, in the order of the index.
    static let computed: [any ComputedReport.Type] = [
        ActiveReport.self, SessionsReport.self, RetentionReport.self, EventsReport.self,
        CountersReport.self, PlatformsReport.self, VersionsReport.self, FunnelReport.self,
        ContentReport.self, VideosReport.self, LifetimeReport.self, ValuesReport.self,
        HoursReport.self, LengthsReport.self, QualityReport.self, RejectsReport.self,
    ]

    /// The reports of lines, which follow in the index.
    static let lines = [ExportReport.definition, DevicesReport.definition]
}

extension ReportDefinition {
    /// All reports, in the order of the index.
    package static let all = ReportCatalogue.computed.map { $0.definition } + ReportCatalogue.lines

    /// The report with a name. Throws `unknown-report`.
    package static func named(_ name: String) throws(ReportError) -> ReportDefinition {
        guard let match = all.first(where: { ByteText($0.name) == ByteText(name) }) else {
            throw .unknownReport
        }
        return match
    }
}

/// Answers questions, for the service and the command line alike.
package enum ReportRunner {
    /// Answers a question of a report of rows, with small groups hidden; any other report has no
    /// rows. The caller makes all of the report's queries see one state of the data, and interrupts
    /// the report if it has to end early. Throws what the queries throw.
    package static func run(
        _ question: Question, _ queries: any Queries
    ) throws(QueryError) -> Report {
        let name = question.definition.name
        guard let report = ReportCatalogue.computed.first(where: { $0.definition.name == name })
        else { return Report(question, rows: []) }
        let threshold = question.settings.minGroup
        guard threshold > 1, report.definition.countsDevices else {
            let answer = try report.answer(question, queries)
            try queries.check()
            return answer
        }
        var (answer, devices) = try queries.counting(question.scope, upTo: threshold) {
            () throws(QueryError) in try report.answer(question, queries)
        }
        try queries.check()
        answer.hideSmallGroups(below: threshold, of: devices, by: report.definition)
        return answer
    }
}
