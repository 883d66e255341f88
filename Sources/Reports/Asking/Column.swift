import TimeZones

/// A column of a report: its name, what stands in it and what it counts. Rows, the line above a
/// CSV and the index of reports are made from it.
package struct Column: Hashable, Sendable {
    /// What kind of value stands in a column.
    package enum Kind: String, Sendable {
        /// `YYYY-MM-DD`
        case date
        case text
        case integer
        /// With a fixed number of decimals.
        case decimal
        case boolean
        /// A JSON object; only in lines.
        case object
    }

    /// Its name in rows.
    package let name: String
    /// What stands in it, where it is not null.
    package let kind: Kind
    /// What a number counts: `devices`, `events`, `sessions`, `seconds`, `ratio`; else nothing.
    package let unit: String?
    /// The values of `interval` with which the report has it; empty means always.
    package let intervals: [Interval]
    /// A parameter without which the report has it not.
    package let with: String?
    /// A parameter with which the report has it not.
    package let without: String?

    /// A parameter of whole numbers: it stands for the columns with this name and a number behind it,
    /// from 0 to the parameter's value.
    package let numberedBy: String?
    /// A table draws it: as a bar, or as a sparkline together with others.
    package let isDrawn: Bool
    /// What becomes of it where groups of devices are small.
    package let group: GroupRole

    /// A column with its name.
    package init(
        _ name: String, _ kind: Kind, unit: String? = nil, only intervals: [Interval] = [],
        with: String? = nil, without: String? = nil, numberedBy: String? = nil,
        isDrawn: Bool = false, group: GroupRole = .figure(of: [])
    ) {
        self.name = name
        self.kind = kind
        self.unit = unit
        self.intervals = intervals
        self.with = with
        self.without = without
        self.numberedBy = numberedBy
        self.isDrawn = isDrawn
        self.group = group
    }

    /// The columns for which it stands in the answer to a question.
    func expanded(in question: Question) -> [Column] {
        guard numberedBy != nil else { return [self] }
        return (0...question.periods).map {
            Column("\(name)\($0)", kind, unit: unit, isDrawn: isDrawn, group: group)
        }
    }

    /// Whether the answer to a question has it.
    package func belongs(to question: Question) -> Bool {
        if let with, !question.isGiven(with) { return false }
        if let without, question.isGiven(without) { return false }
        return intervals.isEmpty || intervals.contains(question.interval)
    }
}

/// What a column or a member has to do with the devices that it is about, where small groups are
/// hidden (docs/reports.md, Small groups).
package enum GroupRole: Hashable, Sendable {
    /// It says which row it is, and stays whatever is hidden.
    case key
    /// It counts devices: a small count is hidden by itself.
    case count
    /// It counts the devices of its whole row: where it is small, all figures of the row are hidden.
    case size
    /// It is hidden where one of these counts is. Of a member: where one is in a row that the member
    /// is made of.
    case figure(of: [CountReference])
}

/// A count of devices that a figure is made of: its column, and the row in which it stands.
package enum CountReference: Hashable, Sendable {
    /// In the figure's own row.
    case own(String)
    /// In the first row.
    case first(String)
    /// In the row before the figure's; of the first row's figure there is none.
    case previous(String)

    /// The name of the column.
    var column: String {
        switch self {
        case .own(let column), .first(let column), .previous(let column): column
        }
    }

    /// The index of the row for a figure in the row of that index; nil where there is none.
    func row(from row: Int) -> Int? {
        switch self {
        case .own: row
        case .first: 0
        case .previous: row > 0 ? row - 1 : nil
        }
    }
}
