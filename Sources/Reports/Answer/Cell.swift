import JSON
import Query
import TimeZones

/// One figure or text of an answer.
package enum Cell: Hashable, Sendable {
    /// No value: a ratio over 0, a mean of no values.
    case null
    case bool(Bool)
    case int(Int64)
    case text(ByteText)
    /// `units` of the given decimal place: 1500 with 3 places is 1.500.
    case decimal(units: Int64, places: Int)
    /// A number as JSON writes it, where no other case can hold it.
    case number(ByteText)
    /// An object with members in this order; only as a member.
    case counts([NamedCount])
    /// An object of such objects, in this order; only as a member.
    case countsByName([NamedCounts])

    /// Whether it is a count, a sum or a ratio of 0.
    var isZero: Bool {
        switch self {
        case .int(let value): value == 0
        case .decimal(let units, _): units == 0
        case .null, .bool, .text, .number, .counts, .countsByName: false
        }
    }

    /// The greatest sum that is shown, 2^53−1 (docs/reports.md, first page).
    package static let greatest: Int64 = 9_007_199_254_740_991

    /// A count or sum of what is not below 0, saturated.
    package static func sum(_ value: Int128) -> Cell {
        .int(Int64(clamping: min(value, Int128(greatest))))
    }

    /// A count.
    package static func count(_ value: Int) -> Cell { .sum(Int128(value)) }

    /// A text.
    package static func text(_ text: String) -> Cell { .text(ByteText(text)) }

    /// The name of what was summed; null where it has none.
    package static func name(_ name: ByteText?) -> Cell { name.map { .text($0) } ?? .null }

    /// `YYYY-MM-DD`.
    package static func date(_ date: CivilDate) -> Cell { .text(date.text) }

    /// A ÷ b, neither below 0, rounded half up to 6 decimals; null over 0.
    package static func ratio(_ a: Int128, over b: Int128) -> Cell {
        quotient(a, over: b, places: 6)
    }

    /// A ÷ b of counts.
    package static func ratio(_ a: Int, over b: Int) -> Cell { ratio(Int128(a), over: Int128(b)) }

    /// A ÷ b, neither below 0 and a at most 2^105, rounded half up to `places` decimals; null over
    /// 0.
    package static func quotient(_ a: Int128, over b: Int128, places: Int) -> Cell {
        guard b > 0 else { return .null }
        var scale: Int128 = 1
        for _ in 0..<places { scale *= 10 }
        let (scaled, overflow) = a.multipliedReportingOverflow(by: scale)
        guard !overflow else { return .decimal(units: Int64.max, places: places) }
        let (whole, rest) = scaled.quotientAndRemainder(dividingBy: b)
        // rest < b, so that b − rest cannot overflow where 2·rest could.
        let rounded = rest >= b - rest ? whole + 1 : whole
        return .decimal(units: Int64(clamping: rounded), places: places)
    }

    /// Millionths, with 6 decimals.
    package static func millionths(_ value: Int128) -> Cell {
        if let units = Int64(exactly: value) { return .decimal(units: units, places: 6) }
        let (whole, rest) = value.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
        let decimals = String(1_000_000 + rest).dropFirst()
        return .number(ByteText("\(value < 0 ? "-" : "")\(whole).\(decimals)"))
    }

    /// A finite double as it is, in the form of RFC 8785; null for none.
    package static func double(_ value: Double?) -> Cell {
        guard let value else { return .null }
        var bytes: [UInt8] = []
        DecimalForm.append(value, to: &bytes)
        return .number(ByteText(bytes: bytes))
    }

    /// A duration given in milliseconds, in seconds with 3 decimals; a sum saturates.
    package static func seconds(_ milliseconds: Int128) -> Cell {
        .decimal(units: Int64(clamping: min(milliseconds, Int128(greatest))), places: 3)
    }

    /// The mean of durations in milliseconds, in seconds with 3 decimals; null without durations.
    package static func meanSeconds(_ sum: Int128, count: Int) -> Cell {
        // Thousandths of a second are milliseconds, so the rounding is to whole ones.
        guard case .decimal(let units, _) = quotient(sum, over: Int128(count), places: 0) else {
            return .null
        }
        return .decimal(units: min(units, greatest), places: 3)
    }

    /// The digits of a decimal: sign, whole part, point, `places` digits.
    package static func digits(units: Int64, places: Int) -> String {
        var digits = String(units.magnitude)
        let sign = units < 0 ? "-" : ""
        guard places > 0 else { return sign + digits }
        if digits.utf8.count <= places {
            digits = String(repeating: "0", count: places + 1 - digits.utf8.count) + digits
        }
        return "\(sign)\(digits.dropLast(places)).\(digits.suffix(places))"
    }
}

/// A member of an object that counts by name.
package struct NamedCount: Hashable, Sendable {
    /// Its name.
    package let name: ByteText
    /// The count.
    package let count: Int

    /// A name and its count.
    package init(_ name: ByteText, _ count: Int) {
        self.name = name
        self.count = count
    }
}

/// A member of an object of objects that count by name.
package struct NamedCounts: Hashable, Sendable {
    /// Its name.
    package let name: ByteText
    /// Its own members, of the same names in every one of them.
    package let counts: [NamedCount]

    /// A name and what is counted under it.
    package init(_ name: ByteText, _ counts: [NamedCount]) {
        self.name = name
        self.counts = counts
    }
}
