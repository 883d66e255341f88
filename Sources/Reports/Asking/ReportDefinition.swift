import Query

/// A report in the catalogue: the checks of parameters and the index of reports are made from it,
/// and it decides how a question is answered.
package struct ReportDefinition: Sendable {
    /// What an answer consists of.
    package enum Shape: Sendable {
        /// Rows, computed as a whole (`ComputedReport`).
        case rows
        /// Lines, page after page (`ExportLines`).
        case lines
        /// Lines of the one device that the path names.
        case device
    }

    /// Its name in the path.
    package let name: String
    /// What it answers, in one sentence.
    package let summary: String
    /// Its parameters, in the order in which the index shows them.
    package let parameters: [Parameter]
    /// The columns of its rows.
    package let columns: [Column]
    /// Members of its own, between `time_zone` and `rows`.
    package let members: [Column]
    /// Whether devices named its rows: then small rows are left out, else only their figures.
    package let isNamedByDevices: Bool
    /// Whether it shows single devices: where small groups are hidden only `admin` tokens may ask
    /// it.
    package let showsSingleDevices: Bool
    /// What it depends on besides its question and the batches of its app.
    package let sources: [QuerySource]
    /// Checks what involves more than one parameter. Throws as `Question.init` does.
    package let check: @Sendable (Question) throws(ReportError) -> Void
    /// What its answer consists of.
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
