extension Report {
    /// The answer for people: what was asked, members, and columns that stand under each other,
    /// numbers to the right with thousands apart. Control characters are shown as `\xNN`.
    func table() -> [UInt8] {
        var lines: [[UInt8]] = []
        lines.append(Array("\(name)  \(app)  \(from.text) to \(to.text)  \(timeZone)".utf8))
        for member in members {
            lines.append(Array("\(member.name)  ".utf8) + Self.shown(member.value).text)
        }
        lines.append([])

        var heads = columns.map { Array($0.name.utf8) }
        var isText = columns.map { $0.kind == .text || $0.kind == .date }
        if marksSuppressed {
            heads.append(Array("suppressed".utf8))
            isText.append(true)
        }
        var widths = heads.map(\.count)
        var cells: [[(text: [UInt8], width: Int)]] = []
        for row in rows {
            var line = row.cells.map(Self.shown)
            if marksSuppressed {
                line.append(Self.shown(row.isSuppressed ? .text("yes") : .text("")))
            }
            for (place, cell) in line.enumerated() {
                widths[place] = max(widths[place], cell.width)
            }
            cells.append(line)
        }
        func append(_ line: [(text: [UInt8], width: Int)]) {
            var out: [UInt8] = []
            for (place, cell) in line.enumerated() {
                if place > 0 { out += [0x20, 0x20] }
                let space = [UInt8](repeating: 0x20, count: widths[place] - cell.width)
                out += isText[place] ? cell.text + space : space + cell.text
            }
            while out.last == 0x20 { out.removeLast() }
            lines.append(out)
        }
        append(heads.map { ($0, $0.count) })
        cells.forEach(append)
        var out: [UInt8] = []
        for line in lines {
            out += line
            out.append(0x0A)
        }
        return out
    }

    /// A cell as shown, and how many places it takes.
    private static func shown(_ cell: Cell) -> (text: [UInt8], width: Int) {
        let text: String
        switch cell {
        case .null: text = "-"
        case .bool(let value): text = value ? "true" : "false"
        case .int(let value): text = grouped(String(value))
        case .decimal(let units, let places):
            let digits = Cell.digits(units: units, places: places)
            text = grouped(String(digits.dropLast(places + 1))) + digits.suffix(places + 1)
        case .text(let value): text = visible(value.string)
        case .counts(let counts):
            let parts = counts.map { "\(visible($0.name.string)) \(grouped(String($0.count)))" }
            text = parts.isEmpty ? "-" : parts.joined(separator: "  ")
        }
        return (Array(text.utf8), text.unicodeScalars.count)
    }

    /// Digits with a comma between thousands.
    private static func grouped(_ digits: String) -> String {
        var out = ""
        for (index, digit) in digits.enumerated() {
            let left = digits.count - index
            if left % 3 == 0, index > 0, out != "-" { out.append(",") }
            out.append(digit)
        }
        return out
    }

    /// C0, DEL and C1 as `\xNN`, and so the bidirectional controls that could turn a line around.
    private static func visible(_ text: String) -> String {
        var out = ""
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069, 0x200E...0x200F:
                for byte in String(scalar).utf8 {
                    out += byte < 16 ? "\\x0" : "\\x"
                    out += String(byte, radix: 16, uppercase: true)
                }
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out
    }
}
