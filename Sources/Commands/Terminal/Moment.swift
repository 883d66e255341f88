import Service

/// A moment as people read it.
enum Moment {
    /// `2026-11-21 08:30:00Z` of milliseconds since 1970.
    static func text(_ milliseconds: Int64) -> String {
        let text = Timestamp.text(milliseconds)
        return text.prefix(10) + " " + text.dropFirst(11).prefix(8) + "Z"
    }
}
