import Query

extension Report {
    /// The rows in the form of RFC 4180: a header line, CRLF, an empty field for null. A text that
    /// a spreadsheet would take for a formula gets a leading `'`, and one is quoted that holds what any
    /// spreadsheet divides cells by (docs/reports.md, Answers).
    func csv() -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(64 * (rows.count + 1))
        for (index, column) in columns.enumerated() {
            if index > 0 { out.append(UInt8(ascii: ",")) }
            out += column.name.utf8
        }
        if marksSuppressed { out += ",suppressed".utf8 }
        out += "\r\n".utf8
        for row in rows {
            for (index, cell) in row.cells.enumerated() {
                if index > 0 { out.append(UInt8(ascii: ",")) }
                Self.append(cell, to: &out)
            }
            if marksSuppressed { out += (row.isSuppressed ? ",true" : ",").utf8 }
            out += "\r\n".utf8
        }
        return out
    }

    private static func append(_ cell: Cell, to out: inout [UInt8]) {
        switch cell {
        // Members are not in a CSV.
        case .null, .counts, .countsByName: break
        case .bool(let value): out += (value ? "true" : "false").utf8
        case .int(let value): out += String(value).utf8
        case .decimal(let units, let places):
            out += Cell.digits(units: units, places: places).utf8
        case .number(let digits): out += digits.bytes
        case .text(let text): append(text, to: &out)
        }
    }

    private static func append(_ text: ByteText, to out: inout [UInt8]) {
        let isFormula = formulas.contains { text.bytes.starts(with: $0) }
        let isQuoted = text.bytes.contains { dividers.contains($0) }
        if isQuoted { out.append(UInt8(ascii: "\"")) }
        if isFormula { out.append(UInt8(ascii: "'")) }
        for byte in text.bytes {
            if byte == UInt8(ascii: "\"") { out.append(byte) }
            out.append(byte)
        }
        if isQuoted { out.append(UInt8(ascii: "\"")) }
    }

    /// What begins a formula in some spreadsheet, in some country: the last four are full-width.
    private static let formulas = [
        "=", "+", "-", "@", "\t", "\r", "\n", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}",
    ].map { Array($0.utf8) }

    /// What divides cells or rows in some spreadsheet, in some country, and the quote.
    private static let dividers = Array("\",;\t\r\n".utf8)
}
