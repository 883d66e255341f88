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
