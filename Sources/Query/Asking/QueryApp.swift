import Storage

/// What reports need to know of an app.
package struct QueryApp: Hashable, Sendable {
    /// Its row.
    package let id: Int64
    /// What the outside calls it.
    package let name: String
    /// The zone in which days are cut unless a question says otherwise.
    package let timeZone: String
    /// After how long without an event a session is over, milliseconds.
    package let sessionTimeout: Int64

    /// An app.
    package init(id: Int64, name: String, timeZone: String, sessionTimeout: Int64) {
        self.id = id
        self.name = name
        self.timeZone = timeZone
        self.sessionTimeout = sessionTimeout
    }

    /// An app as the registry has it.
    package init(_ app: App) {
        self.init(
            id: app.id, name: app.name, timeZone: app.timeZone, sessionTimeout: app.sessionTimeout)
    }
}
