/// An app: what devices post to and reports are asked about.
package struct App: Sendable, Equatable {
    /// What rows call it.
    package let id: Int64
    /// What the outside calls it: `[A-Za-z0-9_-]{1,32}`.
    package let name: String
    /// For people.
    package let title: String
    /// IANA name.
    package let timeZone: String
    /// Milliseconds.
    package let sessionTimeout: Int64
    /// Whether it takes batches of profile `plain`.
    package let allowsPlain: Bool
    /// Milliseconds since 1970-01-01T00:00:00Z.
    package let createdAt: Int64

    /// 30 minutes (docs/reports.md, Sessions).
    package static let defaultSessionTimeout: Int64 = 30 * 60 * 1000
}

/// What is said of an app that is made or changed; nil leaves it as it is, or at its default.
package struct AppChange: Sendable, Equatable {
    /// For people.
    package var title: String?
    /// IANA name.
    package var timeZone: String?
    /// Milliseconds.
    package var sessionTimeout: Int64?
    /// Whether it takes batches of profile `plain`.
    package var allowsPlain: Bool?

    /// Says what is given and leaves the rest.
    package init(
        title: String? = nil, timeZone: String? = nil, sessionTimeout: Int64? = nil,
        allowsPlain: Bool? = nil
    ) {
        self.title = title
        self.timeZone = timeZone
        self.sessionTimeout = sessionTimeout
        self.allowsPlain = allowsPlain
    }
}
