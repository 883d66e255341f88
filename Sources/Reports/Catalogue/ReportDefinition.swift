import Query

/// A report as the catalogue has it: the checks of parameters, the index of reports and the way to
/// its answer are all made from this.
package struct ReportDefinition: Sendable {
    /// How an answer is come by.
    package enum Answer: Sendable {
        /// Computed whole. Throws what the questions throw, an interruption too; checks for one with
        /// `Queries.check` wherever it works long between questions.
        case rows(@Sendable (Question, any Queries) throws(QueryError) -> Report)
        /// Page after page, by `ExportLines`.
        case lines
        /// The same of the one device that the path names.
        case device
    }

    /// Its name in the path.
    package let name: String
    /// What it answers, in one sentence.
    package let summary: String
    /// What it takes, in the order in which the index shows it.
    package let parameters: [Parameter]
    /// What its rows have.
    package let columns: [Column]
    /// Members of its own, between `time_zone` and `rows`.
    package let members: [Column]
    /// Rows are named by what devices sent: small ones are left out instead of emptied.
    package let isNamedByDevices: Bool
    /// It shows single devices: where small groups are hidden it is for `admin` tokens only.
    package let showsSingleDevices: Bool
    /// What it depends on besides its question and the batches of its app.
    package let sources: [QuerySource]
    /// What no parameter can be checked for by itself. Throws as `Question.init` does.
    package let check: @Sendable (Question) throws(ReportError) -> Void
    /// How its answer is come by.
    package let answer: Answer

    /// A report.
    package init(
        name: String, summary: String, parameters: [Parameter], columns: [Column],
        members: [Column] = [], isNamedByDevices: Bool = false, showsSingleDevices: Bool = false,
        sources: [QuerySource] = [],
        check: @escaping @Sendable (Question) throws(ReportError) -> Void = { _ in },
        answer: Answer
    ) {
        self.name = name
        self.summary = summary
        self.parameters = parameters
        self.columns = columns
        self.members = members
        self.isNamedByDevices = isNamedByDevices
        self.showsSingleDevices = showsSingleDevices
        self.sources = sources
        self.check = check
        self.answer = answer
    }

    /// All reports, in the order of the index.
    package static let all: [ReportDefinition] = [
        ActiveReport.definition, SessionsReport.definition, RetentionReport.definition,
        EventsReport.definition, CountersReport.definition, PlatformsReport.definition,
        VersionsReport.definition, FunnelReport.definition, ContentReport.definition,
        VideosReport.definition, LifetimeReport.definition, QualityReport.definition,
        RejectsReport.definition, ExportReport.definition, DevicesReport.definition,
    ]

    /// The report of a name. Throws `unknown-report`.
    package static func named(_ name: String) throws(ReportError) -> ReportDefinition {
        guard let match = all.first(where: { ByteText($0.name) == ByteText(name) }) else {
            throw .unknownReport
        }
        return match
    }
}
