import JSON

/// Columns that line up, for people.
enum TextTable {
    static func render(header: [String], lines: [[String]]) -> String {
        let lines = lines.map { $0.map(Printable.text) }
        let widths = header.indices.map { column in
            ([header] + lines).map { $0[column].unicodeScalars.count }.max() ?? 0
        }
        return ([header] + lines).map { line in
            let cells = line.indices.map { column in
                let cell = line[column]
                let padding = widths[column] - cell.unicodeScalars.count
                return column == line.count - 1
                    ? cell : cell + String(repeating: " ", count: padding)
            }
            return cells.joined(separator: "  ") + "\n"
        }.joined()
    }
}
