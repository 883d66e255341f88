import Query
import TimeZones

/// A parameter of a report: its name and the values it takes. The checks of questions and the index
/// of reports are both made from it.
package struct Parameter: Hashable, Sendable {
    /// What a value may be.
    package enum Kind: Hashable, Sendable {
        /// The name of an app.
        case app
        /// `YYYY-MM-DD`
        case date
        /// The name of a time zone.
        case timeZone
        /// One of these.
        case choice([String])
        /// Decimal digits, within these bounds.
        case integer(ClosedRange<Int>)
        /// Any text.
        case text
        /// The `cursor` of a line of `export`.
        case cursor
        /// Decimal digits and `s`, `m`, `h` or `d`.
        case duration
        /// The name of an event, or `name:attribute=value`.
        case matcher
    }

    /// Its name.
    package let name: String
    /// What it means, in one sentence.
    package let meaning: String
    /// What a value may be.
    package let kind: Kind
    /// Its default, in words if that is no fixed value; nil without a default.
    package let defaultText: String?
    /// Whether it has to be given.
    package let isRequired: Bool
    /// Whether it may be given more than once.
    package let isRepeatable: Bool
    /// How often it may be given, if at all; nil: as often as `isRepeatable` says.
    package let times: ClosedRange<Int>?

    /// A parameter.
    package init(
        _ name: String, _ meaning: String, _ kind: Kind, default defaultText: String? = nil,
        isRequired: Bool = false, isRepeatable: Bool = false, times: ClosedRange<Int>? = nil
    ) {
        self.name = name
        self.meaning = meaning
        self.kind = kind
        self.defaultText = defaultText
        self.isRequired = isRequired
        self.isRepeatable = isRepeatable
        self.times = times
    }

    /// Checks a value and converts it. Throws `invalid-parameter`.
    package func argument(_ value: ByteText) throws(ReportError) -> Argument {
        switch kind {
        case .app, .text:
            return .text(value)
        case .date:
            guard let date = CivilDate(parsing: value.bytes) else {
                throw .invalid(name, "must be a date, YYYY-MM-DD")
            }
            return .date(date)
        case .timeZone:
            do {
                return .timeZone(try TimeZoneRules(name: value.string))
            } catch {
                throw .invalid(name, "must be an IANA time zone that this machine's tzdata knows")
            }
        case .choice(let choices):
            guard let choice = choices.first(where: { ByteText($0) == value }) else {
                throw .invalid(name, "must be one of \(choices.joined(separator: ", "))")
            }
            return .choice(choice)
        case .integer(let bounds):
            guard let number = Self.integer(value.bytes), bounds.contains(number) else {
                throw .invalid(
                    name, "must be an integer from \(bounds.lowerBound) to \(bounds.upperBound)")
            }
            return .integer(number)
        case .cursor:
            guard let position = ExportPosition(parsing: value.bytes) else {
                throw .invalid(name, "must be the cursor of a line of this report")
            }
            return .cursor(position)
        case .duration:
            guard let milliseconds = Self.duration(value.bytes) else {
                throw .invalid(name, "must be a number with s, m, h or d behind it, such as 24h")
            }
            return .duration(milliseconds)
        case .matcher:
            guard let matcher = EventMatcher(parsing: value) else {
                throw .invalid(name, "must be the name of an event, or name:attribute=value")
            }
            return .matcher(matcher)
        }
    }

    /// Parses at most nine digits and a unit, as milliseconds.
    private static func duration(_ bytes: [UInt8]) -> Int64? {
        let units: [UInt8: Int64] = [
            UInt8(ascii: "s"): 1000, UInt8(ascii: "m"): 60_000, UInt8(ascii: "h"): 3_600_000,
            UInt8(ascii: "d"): 86_400_000,
        ]
        guard let unit = bytes.last.flatMap({ units[$0] }),
            let number = integer(Array(bytes.dropLast()))
        else { return nil }
        return Int64(number) * unit
    }

    /// Parses at most nine ASCII digits without a leading zero.
    private static func integer(_ bytes: [UInt8]) -> Int? {
        guard (1...9).contains(bytes.count), bytes == [0x30] || bytes[0] != 0x30 else { return nil }
        var value = 0
        for byte in bytes {
            guard (0x30...0x39).contains(byte) else { return nil }
            value = value * 10 + Int(byte - 0x30)
        }
        return value
    }
}
