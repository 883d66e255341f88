import FoundationEssentials
import Service

/// A moment as people read it.
enum Moment {
    /// `2026-11-21 08:30:00Z` of milliseconds since 1970.
    static func text(_ milliseconds: Int64) -> String {
        let text = Timestamp.text(milliseconds)
        return text.prefix(10) + " " + text.dropFirst(11).prefix(8) + "Z"
    }

    /// Milliseconds since 1970 of `2026-11-21T08:30:00Z`, or as a number; nil of anything else.
    static func milliseconds(_ text: String) -> Int64? {
        if let number = Int64(text) { return number >= 0 ? number : nil }
        // Foundation takes 30 February for a day of March: what is read has to be written alike.
        let local = text.prefix(19)
        guard let moment = parse(text), let written = parse("\(local)Z"),
            Timestamp.text(written).hasPrefix(local)
        else { return nil }
        return moment
    }

    private static func parse(_ text: String) -> Int64? {
        guard let date = try? Date(text, strategy: .iso8601) else { return nil }
        return Int64(exactly: (date.timeIntervalSince1970 * 1000).rounded())
    }
}
