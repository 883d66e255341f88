import Engine
import Sockets

/// Turns a setting's text into its value (docs/operation.md, Settings).
enum SettingParser {
    /// Nil where the text is no value of that kind.
    static func parse(_ text: String, as kind: SettingKind) -> SettingValue? {
        switch kind {
        case .text: return text.isEmpty ? nil : .text(text)
        case .path: return text.isEmpty || text.utf8.contains(0) ? nil : .text(text)
        case .address(let mayBeOff):
            if mayBeOff, text == "off" { return .off }
            return ListenAddress(text) == nil ? nil : .text(text)
        case .engine: return (try? EngineAccess.shards(parsing: [text])).map { _ in .text(text) }
        case .origin: return CORSOrigins.isOrigin(text) ? .text(text) : nil
        case .name(let form): return form.allows(text) ? .text(text) : nil
        case .size(let range, let mayBeOff):
            if mayBeOff, text == "off" { return .off }
            return number(text, units: sizes, bareAllowed: true, in: range)
        case .count(let range, let mayBeOff):
            if mayBeOff, text == "off" { return .off }
            return number(text, units: [], bareAllowed: true, in: range)
        case .duration(let range, let mayBeOff):
            if mayBeOff, text == "off" { return .off }
            return number(text, units: durations, bareAllowed: false, in: range)
        case .choice(let names): return names.contains(text) ? .text(text) : nil
        }
    }

    /// Milliseconds of a duration such as `30m`; nil where it is none. Also what `--session-timeout`
    /// and `within` are read by.
    static func milliseconds(_ text: String) -> Int64? {
        guard
            case .number(let value) = number(
                text, units: durations, bareAllowed: false, in: 0...Int64.max)
        else { return nil }
        return value
    }

    private static let sizes: [(String, Int64)] = [
        ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30),
    ]
    /// `ms` before `s` and `m`: the first suffix that fits is the unit.
    private static let durations: [(String, Int64)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]

    private static func number(
        _ text: String, units: [(String, Int64)], bareAllowed: Bool, in range: ClosedRange<Int64>
    ) -> SettingValue? {
        var digits = Substring(text)
        var unit: Int64 = 1
        if let (suffix, factor) = units.first(where: { text.hasSuffix($0.0) }) {
            digits = text.dropLast(suffix.count)
            unit = factor
        } else if !bareAllowed {
            return nil
        }
        guard (1...18).contains(digits.utf8.count),
            digits.utf8.allSatisfy({ (48...57).contains($0) }),
            let plain = Int64(digits)
        else { return nil }
        let (value, overflow) = plain.multipliedReportingOverflow(by: unit)
        return overflow || !range.contains(value) ? nil : .number(value)
    }
}

/// Durations as people write them: `500ms`, `30s`, `15m`, `24h`, `400d`.
package enum DurationText {
    /// Milliseconds; nil where the text is no duration.
    package static func milliseconds(_ text: String) -> Int64? {
        SettingParser.milliseconds(text)
    }

    /// The shortest whole form: 1,800,000 is `30m`.
    package static func text(milliseconds: Int64) -> String {
        let units: [(Int64, String)] = [
            (86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1000, "s"),
        ]
        for (length, unit) in units where milliseconds > 0 && milliseconds % length == 0 {
            return "\(milliseconds / length)\(unit)"
        }
        return "\(milliseconds)ms"
    }
}

/// Sizes as people write them: `4096`, `64KiB`, `8MiB`.
enum SizeText {
    /// With the largest unit that leaves no fraction.
    static func text(bytes: Int64) -> String {
        let units: [(Int64, String)] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")]
        for (unit, name) in units where bytes > 0 && bytes % unit == 0 {
            return "\(bytes / unit)\(name)"
        }
        return "\(bytes)"
    }
}
