import TimeZones

/// A column of a report: its name, the kind of its values and what they count. Rows, the header of
/// a CSV and the index of reports are made from it.
package struct Column: Hashable, Sendable {
    /// The kind of a column's values.
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
    /// The kind of its values that are not null.
    package let kind: Kind
    /// What a number counts: `devices`, `events`, `sessions`, `seconds`, `ratio`; nil without a
    /// unit.
    package let unit: String?
    /// The values of `interval` with which the report has the column; empty means always.
    package let intervals: [Interval]
    /// A parameter that has to be given for the report to have the column.
    package let with: String?
    /// A parameter that must not be given for the report to have the column.
    package let without: String?

    /// A parameter of whole numbers: the column stands for one column for each number from 0 to the
    /// parameter's value, whose name is this one and then the number.
    package let numberedBy: String?
    /// Whether a table draws it: as a bar, or as a sparkline together with others.
    package let isDrawn: Bool
    /// How small groups of devices hide it.
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

    /// The columns that it stands for in the answer to a question.
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

/// How a column or a member depends on counts of devices, where small groups are hidden
/// (docs/reports.md, Small groups).
package enum GroupRole: Hashable, Sendable {
    /// It identifies the row, and is never hidden.
    case key
    /// It counts devices: a small count hides itself only.
    case count
    /// It counts the devices of its whole row: a small count hides all figures of the row.
    case size
    /// As `count` where devices named the rows, else as `size`.
    case countOrSize
    /// It is hidden if one of these counts is; a member, if one is in any of the rows that the
    /// member is made of.
    case figure(of: [CountReference])

    /// Whether its column counts devices.
    var countsDevices: Bool {
        switch self {
        case .count, .size, .countOrSize: true
        case .key, .figure: false
        }
    }
}

/// A count of devices that a figure is made of: its column, and in which row it is.
package enum CountReference: Hashable, Sendable {
    /// In the figure's own row.
    case own(String)
    /// In the first row.
    case first(String)
    /// In the row before the figure's; there is none for a figure of the first row.
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
