import Query

extension Queries {
    /// Gets an answer and counts the devices that it is about. The two may see different states of the data, as those
    /// of an engine do: where devices come in between, the count is small rather than large, so that too much is hidden
    /// rather than too little. Throws what `answer` throws, and if the report has to end.
    /// - Parameters:
    ///   - name: as in `deviceCount`
    ///   - threshold: no more devices are counted; above 1
    func counting<Answer>(
        _ scope: QueryScope, sending name: ByteText? = nil, upTo threshold: Int,
        _ answer: () throws(QueryError) -> Answer
    ) throws(QueryError) -> (answer: Answer, devices: Int) {
        // Before the answer, which may be about more devices by then.
        let devices = try deviceCount(scope, sending: name, upTo: threshold)
        let answer = try answer()
        // Without a device nothing is hidden, so the first one must not have come in between.
        guard devices == 0 else { return (answer, devices) }
        return (answer, try deviceCount(scope, sending: name, upTo: 1))
    }
}

/// Finds what an answer must not show (docs/reports.md, Small groups): counts of devices above 0 and
/// below the threshold, and what tells them. It reads the rows as they were computed, and the roles
/// that the report's columns declare.
struct SmallGroups {
    private let threshold: Int
    private let columns: [Column]
    private let rows: [Report.Row]
    /// Indices of columns by name.
    private let byName: [String: Int]
    /// Indices of the columns that hide themselves only, and of those that hide their rows' figures.
    private let counts, sizes: [Int]
    /// Whether the whole answer is of a small group: then it has no figure.
    let areAllHidden: Bool
    /// Indices of the columns whose zeros are hidden.
    private var withoutZeros: Set<Int> = []

    /// - Parameters:
    ///   - devices: how many devices the question is about; those from the threshold on need not be counted
    ///   - threshold: `report-min-group`
    ///   - hidesZeros: see `ReportDefinition.hidesZeros`
    init(in report: Report, of devices: Int, below threshold: Int, hidesZeros: Bool) {
        self.threshold = threshold
        (columns, rows) = (report.columns, report.rows)
        areAllHidden = Self.isSmall(devices, below: threshold)
        let roles: [GroupRole] = report.columns.map { column in
            guard column.group == .countOrSize else { return column.group }
            return report.isNamedByDevices ? .count : .size
        }
        counts = roles.indices.filter { roles[$0] == .count }
        sizes = roles.indices.filter { roles[$0] == .size }
        byName = Dictionary(columns.indices.map { (report.columns[$0].name, $0) }) { first, _ in
            first
        }
        guard hidesZeros else { return }
        // Counts first: a ratio is hidden together with the zeros that it is made of.
        for isOfCounts in [true, false] {
            for column in columns.indices
            where columns[column].group.countsDevices == isOfCounts
                && rows.indices.contains(where: { hides(column, $0) })
            {
                withoutZeros.insert(column)
            }
        }
    }

    /// Whether a row that devices named can be shown: a count of devices in it is large enough.
    func isLargeEnough(_ row: Int) -> Bool {
        counts.contains { devices($0, row).map { $0 >= threshold } ?? false }
    }

    /// Whether a cell is hidden in a row that is shown; one that is missing is not.
    func hides(_ column: Int, _ row: Int) -> Bool {
        let cell = rows[row].cells[column]
        let group = columns[column].group
        if cell == .null || group == .key { return false }
        if areAllHidden || cell.isZero && withoutZeros.contains(column) { return true }
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
        if areAllHidden { return true }
        if let devices = member.devices, Self.isSmall(devices, below: threshold) { return true }
        guard case .figure(let parts) = group else { return false }
        return member.rows.contains { row in parts.contains { hides($0, row) } }
    }

    private func hides(_ part: CountReference, _ row: Int) -> Bool {
        byName[part.column].map { hides($0, row) } ?? false
    }

    private func isSmall(_ column: Int, _ row: Int) -> Bool {
        devices(column, row).map { Self.isSmall($0, below: threshold) } ?? false
    }

    private static func isSmall(_ devices: Int, below threshold: Int) -> Bool {
        0 < devices && devices < threshold
    }

    /// A count; nil where it is missing.
    private func devices(_ column: Int, _ row: Int) -> Int? {
        if case .int(let count) = rows[row].cells[column] { Int(count) } else { nil }
    }
}

extension Report {
    /// Hides small groups (docs/reports.md, Small groups): the one step between an answer's rows
    /// and its form. It leaves out and counts rows that devices named, and empties the figures of
    /// others.
    /// - Parameter devices: how many devices the question is about; those from the threshold on need not be
    ///   counted
    package mutating func hideSmallGroups(
        below threshold: Int, of devices: Int, by definition: ReportDefinition
    ) {
        let groups = SmallGroups(
            in: self, of: devices, below: threshold, hidesZeros: definition.hidesZeros)
        marksSuppressed = true
        let roles = Dictionary(
            definition.members.map { ($0.name, $0.group) }, uniquingKeysWith: { first, _ in first })
        for index in members.indices
        where groups.hides(members[index], roles[members[index].name] ?? .key) {
            members[index].value = .null
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
            members.append(
                Member(
                    "suppressed_rows",
                    groups.areAllHidden ? .null : .count(rows.count - shown.count)))
        }
        rows = shown
    }
}
