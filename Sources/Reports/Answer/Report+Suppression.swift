extension Report {
    /// Hides rows whose count of devices is above 0 and below `least` (docs/reports.md, Asking:
    /// `report-min-group`): rows named by what devices sent are left out and counted, of others the
    /// figures go. `dependents` are members made of rows, with the places of those rows: null where
    /// one of them is hidden.
    package mutating func suppressGroups(
        below least: Int, by definition: ReportDefinition,
        dependents: [(member: String, rows: [Int])] = []
    ) {
        guard least > 1, let group = definition.groupColumn,
            let place = columns.firstIndex(where: { $0.name == group })
        else { return }
        func isSmall(_ row: Row) -> Bool {
            guard case .int(let count) = row.cells[place] else { return false }
            return count > 0 && count < Int64(least)
        }
        for (member, places) in dependents where places.contains(where: { isSmall(rows[$0]) }) {
            for index in members.indices where members[index].name == member {
                members[index].value = .null
            }
        }
        if definition.isNamedByDevices {
            let before = rows.count
            rows.removeAll(where: isSmall)
            members.append(Member("suppressed_rows", .count(before - rows.count)))
            return
        }
        marksSuppressed = true
        for index in rows.indices where isSmall(rows[index]) {
            for (column, definitionColumn) in columns.enumerated()
            where !definition.keyColumns.contains(definitionColumn.name) {
                rows[index].cells[column] = .null
            }
            rows[index].isSuppressed = true
        }
    }
}
