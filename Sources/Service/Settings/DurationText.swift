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
