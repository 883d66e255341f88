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
    /// Whose names rows have.
    package let rowNames: RowNames
    /// How a table shows its rows.
    package let layout: TableLayout
    /// Whether zeros are hidden in a column of which a small group hides a figure: they would tell by
    /// what is left.
    let hidesZeros: Bool
    /// What it depends on besides its question and the batches of its app.
    package let sources: [QuerySource]
    /// Checks what involves more than one parameter. Throws as `Question.init` does.
    package let check: @Sendable (Question) throws(ReportError) -> Void
    /// What its answer consists of.
    package let shape: Shape

    /// A report.
    package init(
        name: String, summary: String, parameters: [Parameter], columns: [Column],
        members: [Column] = [], rowNames: RowNames = .ours, layout: TableLayout = .rows,
        hidesZeros: Bool = false, sources: [QuerySource] = [],
        check: @escaping @Sendable (Question) throws(ReportError) -> Void = { _ in },
        shape: Shape
    ) {
        self.name = name
        self.summary = summary
        self.parameters = parameters
        self.columns = columns
        self.members = members
        self.rowNames = rowNames
        self.layout = layout
        self.hidesZeros = hidesZeros
        self.sources = sources
        self.check = check
        self.shape = shape
    }

    /// Whether a column of its rows counts devices, so that small groups can be told.
    var countsDevices: Bool { columns.contains { $0.group.countsDevices } }
}

/// Whose names the rows of a report have.
package enum RowNames: Hashable, Sendable {
    /// Dates, hours, steps: there is a row for each, and of a small group its figures are hidden.
    case ours
    /// What devices sent: rows of small groups are left out.
    case devices
    /// The same where a parameter is given.
    case devicesWith(String)

    /// Whether rows of the answer to a question are named by what devices sent.
    func areOfDevices(in question: Question) -> Bool {
        switch self {
        case .ours: false
        case .devices: true
        case .devicesWith(let parameter): question.isGiven(parameter)
        }
    }
}

/// How a table shows the rows of a report.
package enum TableLayout: Hashable, Sendable {
    /// A line each.
    case rows
    /// The same, and then as marks: a line for each day of the week.
    case week
}
