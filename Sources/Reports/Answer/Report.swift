import TimeZones

/// An answer before it is rendered: the question, members of its own, and rows of cells.
package struct Report: Hashable, Sendable {
    /// A member between `time_zone` and `rows`.
    package struct Member: Hashable, Sendable {
        /// Its name.
        package let name: String
        /// Its value.
        package var value: Cell
        /// Indices of the rows that it is made of, if there are any.
        package let rows: [Int]
        /// How many devices it is made of, where no row counts them; a small count hides it.
        let devices: Int?

        /// A member and its value.
        package init(
            _ name: String, _ value: Cell, of rows: [Int] = [], devices: Int? = nil
        ) {
            self.name = name
            self.value = value
            self.rows = rows
            self.devices = devices
        }
    }

    /// A row: one cell for each column.
    package struct Row: Hashable, Sendable {
        /// The cells in the order of the columns.
        package var cells: [Cell]
        /// Whether figures were hidden, because they are of too few devices.
        package var isSuppressed = false

        /// A row of these cells.
        package init(_ cells: [Cell]) {
            self.cells = cells
        }

        /// A row of these cells, after the date of its bucket where there are buckets.
        init(_ cells: [Cell], in bucket: Int, of buckets: Buckets?) {
            self.init((buckets.map { [.date($0.starts[bucket])] } ?? []) + cells)
        }
    }

    /// The report's name.
    package let name: String
    /// The app's name.
    package let app: String
    /// First and last local day, both included.
    package let from, to: CivilDate
    /// The time zone of the days.
    package let timeZone: String
    /// Members of this report, in the contract's order.
    package var members: [Member]
    /// The columns of `rows`.
    package let columns: [Column]
    /// Rows are named by what devices sent: those of small groups are left out.
    let isNamedByDevices: Bool
    /// How a table shows `rows`.
    let layout: TableLayout
    /// The answer itself.
    package var rows: [Row]
    /// Whether rows are marked in which figures were hidden: CSV then has a column `suppressed`.
    package var marksSuppressed = false

    /// An answer to a question.
    package init(_ question: Question, members: [Member] = [], rows: [Row]) {
        name = question.definition.name
        app = question.app.name
        from = question.from
        to = question.to
        timeZone = question.zone.name
        self.members = members
        columns = question.columns
        isNamedByDevices = question.definition.rowNames.areOfDevices(in: question)
        layout = question.definition.layout
        self.rows = rows
    }

    /// The bytes of the report in a form.
    /// - Parameter isColoured: whether a table uses the colours of a terminal; other forms have
    ///   none
    package func rendered(as format: ReportFormat, isColoured: Bool = false) -> [UInt8] {
        switch format {
        case .json: json()
        case .csv: csv()
        case .table: table(isColoured: isColoured)
        }
    }
}
