import Query
import TimeZones

/// A parameter's value after its check.
package enum Argument: Sendable {
    case text(ByteText)
    case date(CivilDate)
    case timeZone(TimeZoneRules)
    case choice(String)
    case integer(Int)
    case cursor(ExportPosition)
    /// Milliseconds.
    case duration(Int64)
    case matcher(EventMatcher)

    /// Its canonical text, for the canonical question.
    var canonical: ByteText {
        switch self {
        case .text(let text): text
        case .date(let date): ByteText(date.text)
        case .timeZone(let zone): ByteText(zone.name)
        case .choice(let choice): ByteText(choice)
        case .integer(let number): ByteText(String(number))
        case .cursor(let position): ByteText(bytes: position.text)
        case .duration(let milliseconds): ByteText(String(milliseconds))
        case .matcher(let matcher): matcher.text
        }
    }
}
