import Database

extension Registry {
    /// Adds an app.
    /// - Throws: `exists`, `invalid`.
    package func addApp(_ name: String, _ change: AppChange = AppChange()) throws(StorageError)
        -> App
    {
        try RegistryName.check(name)
        let app = App(
            id: 0, name: name, title: change.title ?? name, timeZone: change.timeZone ?? "UTC",
            sessionTimeout: change.sessionTimeout ?? App.defaultSessionTimeout,
            allowsPlain: change.allowsPlain ?? false, createdAt: now())
        try Self.check(app)
        return try self.change { (connection) throws(StorageError) in
            guard try Self.app(name, connection) == nil else { throw .exists(.app, name: name) }
            try app.row.put(on: connection)
            return try Self.requiredApp(name, connection)
        }
    }

    /// Changes what `change` names of an app.
    /// - Throws: `notFound`, `invalid`.
    package func setApp(_ name: String, _ change: AppChange) throws(StorageError) -> App {
        try self.change { (connection) throws(StorageError) in
            let old = try Self.requiredApp(name, connection)
            let app = App(
                id: old.id, name: name, title: change.title ?? old.title,
                timeZone: change.timeZone ?? old.timeZone,
                sessionTimeout: change.sessionTimeout ?? old.sessionTimeout,
                allowsPlain: change.allowsPlain ?? old.allowsPlain, createdAt: old.createdAt)
            try Self.check(app)
            try app.row.put(on: connection)
            return app
        }
    }

    /// Whether a zone exists is checked where tzdata is read; here only what would break a row.
    static func check(_ app: App) throws(StorageError) {
        guard (1...256).contains(app.title.utf8.count) else {
            throw .invalid(value: "the title", rule: "a title has 1 to 256 octets")
        }
        guard (1...64).contains(app.timeZone.utf8.count) else {
            throw .invalid(value: app.timeZone, rule: "a time zone has an IANA name")
        }
        // A year: beyond it no gap would ever end a session.
        guard (1...366 * 86_400_000).contains(app.sessionTimeout) else {
            throw .invalid(
                value: "\(app.sessionTimeout) ms", rule: "a session timeout is 1 ms to 366 days")
        }
    }

    static func app(_ name: String, _ connection: Connection) throws(StorageError) -> App? {
        let row = try connection.prepare(
            """
            SELECT id, name, title, time_zone, session_timeout_ms, allow_plain, created_at
            FROM app WHERE name = ?
            """)
        try row.bind(1, name)
        guard try row.step() else { return nil }
        return App(
            id: row.int(0), name: row.text(1), title: row.text(2), timeZone: row.text(3),
            sessionTimeout: row.int(4), allowsPlain: row.int(5) != 0, createdAt: row.int(6))
    }

    static func requiredApp(_ name: String, _ connection: Connection) throws(StorageError) -> App {
        guard let app = try app(name, connection) else { throw .notFound(.app, name: name) }
        return app
    }
}

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

extension App {
    /// As it is in every database of one master key.
    fileprivate var row: RegistryRow {
        RegistryRow(
            name: name,
            content: .app(
                title: title, timeZone: timeZone, sessionTimeout: sessionTimeout,
                allowsPlain: allowsPlain, createdAt: createdAt))
    }
}
