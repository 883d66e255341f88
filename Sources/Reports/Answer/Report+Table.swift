extension Report {
    /// The answer for people: the question, members, and aligned columns, numbers to the right with
    /// thousands separated, after them a bar or a sparkline of the columns that the report draws.
    /// Control characters are shown as `\xNN`.
    /// - Parameter isColoured: whether to use the colours of a terminal, which change no character
    func table(isColoured: Bool) -> [UInt8] {
        let style = isColoured ? TableStyle.coloured : .plain
        var lines = [
            style.title("\(name)  \(app)  \(from.text) to \(to.text)  \(timeZone)")
        ]
        for member in members {
            lines.append(style.head(member.name) + "  " + TableText(member.value).text)
        }
        lines.append("")
        lines += rowLines(style)
        // Last, where a terminal shows it at once.
        if case .week = layout { lines += [""] + weekLines(style) }
        return lines.flatMap { Array($0.utf8) + [0x0A] }
    }

    /// A line for the names of columns, and one for each row.
    private func rowLines(_ style: TableStyle) -> [String] {
        var lines: [String] = []
        var heads = columns.map { TableText($0.name) }
        var isText = columns.map { $0.kind == .text || $0.kind == .date }
        var cells = rows.map { row in row.cells.map { TableText($0) } }
        if marksSuppressed {
            heads.append(TableText("suppressed"))
            isText.append(true)
            for row in rows.indices {
                cells[row].append(TableText(rows[row].isSuppressed ? "yes" : ""))
            }
        }
        let widths = heads.indices.map { column in
            cells.reduce(heads[column].width) { max($0, $1[column].width) }
        }
        func line(_ cells: [TableText]) -> String {
            let padded = zip(cells, widths).enumerated().map { column, cell in
                let space = String(repeating: " ", count: cell.1 - cell.0.width)
                return isText[column] ? cell.0.text + space : space + cell.0.text
            }
            return padded.joined(separator: "  ")
        }
        lines.append(style.head(Self.trimmed(line(heads))))
        let drawings = drawings
        for (index, row) in cells.enumerated() {
            let drawing = drawings.isEmpty ? "" : drawings[index]
            let text = line(row)
            lines.append(
                drawing.isEmpty ? Self.trimmed(text) : text + "  " + style.drawing(drawing))
        }
        return lines
    }

    /// The drawing of each row; empty where the report draws nothing, or there is nothing to
    /// compare.
    private var drawings: [String] {
        let drawn = columns.indices.filter { columns[$0].isDrawn }
        guard let first = drawn.first else { return [] }
        func figure(_ cell: Cell) -> Int64? {
            switch cell {
            case .int(let value): value
            case .decimal(let units, _): units
            default: nil
            }
        }
        if drawn.count > 1 {
            return rows.map { row in
                Self.trimmed(TableDrawing.sparkline(of: drawn.map { figure(row.cells[$0]) }))
            }
        }
        return rows.count > 1 ? TableDrawing.bars(of: rows.map { figure($0.cells[first]) }) : []
    }

    private static func trimmed(_ line: String) -> String {
        var line = line
        while line.last == " " { line.removeLast() }
        return line
    }
}

/// The styles of a table's parts: none, or the colours that every terminal has (ECMA-48 §8.3.117).
struct TableStyle {
    private let titleCode: String
    private let headCode: String
    private let drawingCode: String

    /// Characters only.
    static let plain = TableStyle(titleCode: "", headCode: "", drawingCode: "")
    /// The title bold, names faint, drawings cyan.
    static let coloured = TableStyle(titleCode: "1", headCode: "2", drawingCode: "36")

    /// The line with the question.
    func title(_ text: String) -> String { set(text, titleCode) }

    /// Names of columns and members.
    func head(_ text: String) -> String { set(text, headCode) }

    /// A bar or a sparkline.
    func drawing(_ text: String) -> String { set(text, drawingCode) }

    private func set(_ text: String, _ code: String) -> String {
        code.isEmpty ? text : "\u{1B}[\(code)m\(text)\u{1B}[0m"
    }
}
