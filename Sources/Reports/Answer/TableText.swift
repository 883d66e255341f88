import JSON

/// The text of a table's cell, and its width on a terminal.
struct TableText {
    /// Without control characters.
    let text: String
    /// In terminal columns: a wide East Asian character takes two, a combining one none.
    let width: Int

    /// A text that may come from a device: characters that control a terminal are shown as `\xNN`.
    init(_ text: String) {
        self.text = Printable.text(text)
        width = self.text.unicodeScalars.reduce(0) { $0 + Self.width(of: $1) }
    }

    /// A figure with a comma between thousands; `-` for null.
    init(_ cell: Cell) {
        switch cell {
        case .null: self.init("-")
        case .bool(let value): self.init(value ? "true" : "false")
        case .int(let value): self.init(Self.grouped(String(value)))
        case .decimal(let units, let places):
            let digits = Cell.digits(units: units, places: places)
            self.init(
                Self.grouped(String(digits.dropLast(places + 1))) + digits.suffix(places + 1))
        case .number(let digits):
            // With an exponent there is one digit before the point.
            let whole = digits.string.prefix { $0 != "." }
            self.init(
                whole.contains("e")
                    ? digits.string
                    : Self.grouped(String(whole)) + digits.string.dropFirst(whole.count))
        case .text(let value): self.init(value.string)
        case .counts(let counts):
            let parts = counts.map { "\($0.name.string) \(Self.grouped(String($0.count)))" }
            self.init(parts.isEmpty ? "-" : parts.joined(separator: "  "))
        // Lines of their own show them where there are some.
        case .countsByName: self.init("-")
        }
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

    /// The columns that terminals give a character: UAX #11 in short, and combining marks.
    private static func width(of scalar: Unicode.Scalar) -> Int {
        switch scalar.value {
        case 0..<0x300: return 1
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
            0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            return 2
        default:
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark, .format: return 0
            default: return 1
            }
        }
    }
}
