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
            if case .countsByName(let all) = member.value, let first = all.first {
                let heads = [member.name] + first.counts.map(\.name.string)
                let table = Self.aligned(
                    [heads.map { TableText($0) }]
                        + all.map { one in
                            [TableText("  " + one.name.string)]
                                + one.counts.map { TableText(.count($0.count)) }
                        }, isText: [true] + first.counts.map { _ in false })
                lines.append(style.head(table[0]))
                lines += table.dropFirst()
            } else {
                lines.append(style.head(member.name) + "  " + TableText(member.value).text)
            }
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
        let table = Self.aligned([heads] + cells, isText: isText)
        lines.append(style.head(Self.trimmed(table[0])))
        let drawings = drawings
        for (row, text) in table.dropFirst().enumerated() {
            let drawing = drawings.isEmpty ? "" : drawings[row]
            lines.append(
                drawing.isEmpty ? Self.trimmed(text) : text + "  " + style.drawing(drawing))
        }
        return lines
    }

    /// The lines of rows whose cells stand under each other, texts to the left and numbers to the right.
    private static func aligned(_ rows: [[TableText]], isText: [Bool]) -> [String] {
        let widths = isText.indices.map { column in
            rows.reduce(0) { max($0, $1[column].width) }
        }
        return rows.map { row in
            let padded = zip(row, widths).enumerated().map { column, cell in
                let space = String(repeating: " ", count: cell.1 - cell.0.width)
                return isText[column] ? cell.0.text + space : space + cell.0.text
            }
            return padded.joined(separator: "  ")
        }
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
