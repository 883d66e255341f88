extension Report {
    /// The rows as marks: for each day of the week a line of 24, as high as the hour's figure in the column that the
    /// report draws; and what they stand for.
    func weekLines(_ style: TableStyle) -> [String] {
        guard let column = columns.firstIndex(where: \.isDrawn) else { return [] }
        let figures = rows.map { row -> Int64? in
            if case .int(let figure) = row.cells[column] { figure } else { nil }
        }
        let marks = TableDrawing.marks(of: figures)
        let indent = String(repeating: " ", count: 5)
        var lines = [style.head(indent + "0     6     12    18")]
        for (day, name) in ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].enumerated() {
            let line = marks.dropFirst(day * 24).prefix(24).joined()
            lines.append(style.head(name) + "  " + style.drawing(line))
        }
        let title = "\(columns[column].name) in an hour"
        return lines + ["", style.head(title) + "  " + Self.legend(marks, of: figures, style)]
    }

    /// Each mark that stands somewhere, and the least and the greatest figure that has it.
    private static func legend(
        _ marks: [String], of figures: [Int64?], _ style: TableStyle
    ) -> String {
        var ranges: [String: ClosedRange<Int64>] = [:]
        for (mark, figure) in zip(marks, figures) {
            guard let figure else { continue }
            let known = ranges[mark] ?? figure...figure
            ranges[mark] = min(known.lowerBound, figure)...max(known.upperBound, figure)
        }
        var parts = ranges.sorted { $0.value.lowerBound < $1.value.lowerBound }.map { mark, range in
            let ends = [range.lowerBound, range.upperBound].map { TableText(.int($0)).text }
            return style.drawing(mark) + " "
                + (ends[0] == ends[1] ? ends[0] : ends.joined(separator: "-"))
        }
        if figures.contains(nil) { parts.append(style.drawing("?") + " too few devices") }
        return parts.joined(separator: "  ")
    }
}
