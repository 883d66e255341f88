/// Finds what an answer must not show: counts of devices above 0 and below the threshold, and the
/// figures made of them. It reads the rows as they were computed, and the roles that the report's
/// columns declare.
struct SmallGroups {
    private let threshold: Int64
    private let columns: [Column]
    private let rows: [Report.Row]
    /// Indices of columns by name.
    private let byName: [String: Int]
    /// Indices of the columns that hide themselves only, and of those that hide their rows' figures.
    private let counts, sizes: [Int]

    /// Nil where nothing has to be hidden: with a threshold below 2, or if the report counts no
    /// devices.
    /// - Parameter threshold: `report-min-group`
    init?(of report: Report, below threshold: Int) {
        guard threshold > 1 else { return nil }
        columns = report.columns
        let roles: [GroupRole] = report.columns.map { column in
            guard column.group == .countOrSize else { return column.group }
            return report.isNamedByDevices ? .count : .size
        }
        counts = roles.indices.filter { roles[$0] == .count }
        sizes = roles.indices.filter { roles[$0] == .size }
        guard !counts.isEmpty || !sizes.isEmpty else { return nil }
        self.threshold = Int64(threshold)
        rows = report.rows
        byName = Dictionary(columns.indices.map { (report.columns[$0].name, $0) }) { first, _ in
            first
        }
    }

    /// Whether a row that devices named can be shown: a count of devices in it is large enough.
    func isLargeEnough(_ row: Int) -> Bool {
        counts.contains { devices($0, row).map { $0 >= threshold } ?? false }
    }

    /// Whether a cell is hidden in a row that is shown.
    func hides(_ column: Int, _ row: Int) -> Bool {
        let group = columns[column].group
        if group == .key { return false }
        if sizes.contains(where: { isSmall($0, row) }) { return true }
        return switch group {
        case .key, .size: false
        case .count, .countOrSize: counts.contains(column) && isSmall(column, row)
        case .figure(let parts):
            parts.contains { part in
                part.row(from: row).map { hides(part, $0) } ?? false
            }
        }
    }

    /// Whether a member is hidden.
    /// - Parameter group: the role that the report declares for it
    func hides(_ member: Report.Member, _ group: GroupRole) -> Bool {
        guard case .figure(let parts) = group else { return false }
        return member.rows.contains { row in parts.contains { hides($0, row) } }
    }

    private func hides(_ part: CountReference, _ row: Int) -> Bool {
        byName[part.column].map { hides($0, row) } ?? false
    }

    private func isSmall(_ column: Int, _ row: Int) -> Bool {
        devices(column, row).map { $0 > 0 && $0 < threshold } ?? false
    }

    /// A count; nil where it is missing.
    private func devices(_ column: Int, _ row: Int) -> Int64? {
        if case .int(let count) = rows[row].cells[column] { count } else { nil }
    }
}

extension Report {
    /// Hides small groups (docs/reports.md, Small groups): the one step between an answer's rows
    /// and its form. It leaves out and counts rows that devices named, and empties the figures of
    /// others.
    package mutating func hideSmallGroups(below threshold: Int, by definition: ReportDefinition) {
        guard let groups = SmallGroups(of: self, below: threshold) else { return }
        marksSuppressed = true
        let roles = Dictionary(
            definition.members.map { ($0.name, $0.group) }, uniquingKeysWith: { first, _ in first })
        for index in members.indices {
            if let role = roles[members[index].name], groups.hides(members[index], role) {
                members[index].value = .null
            }
        }
        var shown: [Row] = []
        for (index, var row) in rows.enumerated() {
            if isNamedByDevices, !groups.isLargeEnough(index) { continue }
            for column in columns.indices where groups.hides(column, index) {
                row.cells[column] = .null
                row.isSuppressed = true
            }
            shown.append(row)
        }
        if isNamedByDevices {
            members.append(Member("suppressed_rows", .count(rows.count - shown.count)))
        }
        rows = shown
    }
}
