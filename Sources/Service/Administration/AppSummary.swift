/// An app as the commands show it.
package struct AppSummary: Codable, Sendable, Equatable {
    package let app: String
    package let title: String
    package let timeZone: String
    /// Milliseconds.
    package let sessionTimeout: Int64
    package let allowPlain: Bool

    package var members: [(String, JSONValue)] {
        [
            ("app", .text(app)), ("name", .text(title)), ("time_zone", .text(timeZone)),
            ("session_timeout_s", .seconds(milliseconds: sessionTimeout)),
            ("allow_plain", .bool(allowPlain)),
        ]
    }
}
