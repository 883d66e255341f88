import Query

/// A report as the catalogue has it: the checks of parameters, the index of reports and the way to
/// its answer are all made from this.
package struct ReportDefinition: Sendable {
    /// What an answer is made of.
    package enum Shape: Sendable {
        /// Rows, computed whole (`ComputedReport`).
        case rows
        /// Lines, page after page (`ExportLines`).
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
    /// What its answer is made of.
    package let shape: Shape

    /// A report.
    package init(
        name: String, summary: String, parameters: [Parameter], columns: [Column],
        members: [Column] = [], isNamedByDevices: Bool = false, showsSingleDevices: Bool = false,
        sources: [QuerySource] = [],
        check: @escaping @Sendable (Question) throws(ReportError) -> Void = { _ in },
        shape: Shape
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
        self.shape = shape
    }
}
