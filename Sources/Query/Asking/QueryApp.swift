import Storage

/// What reports need to know of an app.
package struct QueryApp: Hashable, Sendable {
    /// Its row.
    package let id: Int64
    /// Its public name.
    package let name: String
    /// What people call it; its name where it was given none.
    package let title: String
    /// The time zone of its days unless a question names another.
    package let timeZone: String
    /// After how many milliseconds without an event a session is over.
    package let sessionTimeout: Int64

    /// An app.
    package init(
        id: Int64, name: String, title: String? = nil, timeZone: String, sessionTimeout: Int64
    ) {
        self.id = id
        self.name = name
        self.title = title ?? name
        self.timeZone = timeZone
        self.sessionTimeout = sessionTimeout
    }

    /// An app as the registry has it.
    package init(_ app: App) {
        self.init(
            id: app.id, name: app.name, title: app.title, timeZone: app.timeZone,
            sessionTimeout: app.sessionTimeout)
    }
}
