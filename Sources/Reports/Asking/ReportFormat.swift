import TimeZones

/// The forms that an answer comes in.
package enum ReportFormat: String, CaseIterable, Sendable {
    case json, csv, table

    /// Value of `Content-Type`.
    package var contentType: StaticString {
        switch self {
        case .json: "application/json"
        case .csv: "text/csv; charset=utf-8; header=present"
        case .table: "text/plain; charset=utf-8"
        }
    }

    /// The form by the header field `Accept`, for a question without `format`: CSV if `text/csv`
    /// has a greater weight than `application/json`, else JSON (docs/reports.md, Asking; RFC 9110
    /// §12.5.1). What cannot be parsed counts as absent.
    package init(accepting field: String?) {
        guard let field else {
            self = .json
            return
        }
        let csv = Self.weight(of: "text", "csv", in: field)
        let json = Self.weight(of: "application", "json", in: field)
        self = csv > json ? .csv : .json
    }

    /// The weight in thousandths, by the most specific range; 0 where none matches. It compares
    /// bytes: Unicode's equivalents of a comma or a letter are none.
    private static func weight(of type: String, _ subtype: String, in field: String) -> Int {
        let ranges = [("*/*", 1), ("\(type)/*", 2), ("\(type)/\(subtype)", 3)]
        var best = (precision: 0, weight: 0)
        for range in field.utf8.map(lowercased).split(separator: UInt8(ascii: ",")) {
            let parts = range.split(separator: UInt8(ascii: ";")).map(trimmed)
            guard let name = parts.first,
                let (_, precision) = ranges.first(where: { name.elementsEqual($0.0.utf8) })
            else { continue }
            var weight = 1000
            for part in parts.dropFirst() where part.starts(with: "q=".utf8) {
                weight = thousandths(part.dropFirst(2)) ?? 0
            }
            if precision > best.precision { best = (precision, weight) }
        }
        return best.weight
    }

    /// Lowercases ASCII letters only.
    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 32 : byte
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        var text = text.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return text
    }

    /// `0`, `1`, `0.25` → thousandths; nil for anything else.
    private static func thousandths(_ text: ArraySlice<UInt8>) -> Int? {
        let digits = text.filter { $0 != UInt8(ascii: ".") }
        guard let whole = text.first, whole == 0x30 || whole == 0x31, digits.count <= 4,
            text.count == 1 || text.dropFirst().first == UInt8(ascii: "."),
            text.count <= digits.count + 1, digits.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        var value = 0
        for index in 0..<4 {
            value = value * 10 + (index < digits.count ? Int(digits[index]) - 48 : 0)
        }
        return min(value, 1000)
    }
}
