import Database
import Events
import Sealing

/// An app, a key or a token as it is the same in every database of one master key: without the numbers of
/// rows. Secrets are wrapped, tokens are hashes.
package struct RegistryRow: Sendable, Equatable {
    /// What it is.
    package enum Kind: String, Sendable, CaseIterable { case app, key, token }

    /// What it says. Milliseconds since 1970-01-01T00:00:00Z, durations in milliseconds.
    package enum Content: Sendable, Equatable {
        case app(
            title: String, timeZone: String, sessionTimeout: Int64, allowsPlain: Bool,
            createdAt: Int64)
        case key(
            app: String, profile: String, algorithm: String?, wrapped: [UInt8], createdAt: Int64,
            revokedAt: Int64?)
        case token(
            hash: [UInt8], scope: String, app: String?, createdAt: Int64, revokedAt: Int64?)
    }

    /// By which the outside knows it, unique among its kind.
    package let name: String
    package let content: Content

    package init(name: String, content: Content) {
        self.name = name
        self.content = content
    }

    package var kind: Kind {
        switch content {
        case .app: .app
        case .key: .key
        case .token: .token
        }
    }
}

extension RegistryRow {
    /// All that the database has: apps first, then keys, then tokens, each in the order of their names.
    package static func all(on connection: Connection) throws(StorageError) -> [RegistryRow] {
        var rows: [RegistryRow] = []
        let apps = try connection.prepare(
            """
            SELECT name, title, time_zone, session_timeout_ms, allow_plain, created_at
            FROM app ORDER BY name
            """)
        while try apps.step() {
            rows.append(
                RegistryRow(
                    name: apps.text(0),
                    content: .app(
                        title: apps.text(1), timeZone: apps.text(2), sessionTimeout: apps.int(3),
                        allowsPlain: apps.int(4) != 0, createdAt: apps.int(5))))
        }
        let keys = try connection.prepare(
            """
            SELECT k.name, a.name, k.profile, k.alg, k.wrapped, k.created_at, k.revoked_at
            FROM key AS k JOIN app AS a ON a.id = k.app ORDER BY k.name
            """)
        while try keys.step() {
            rows.append(
                RegistryRow(
                    name: keys.text(0),
                    content: .key(
                        app: keys.text(1), profile: keys.text(2), algorithm: keys.optionalText(3),
                        wrapped: keys.blob(4), createdAt: keys.int(5),
                        revokedAt: keys.optionalInt(6))))
        }
        let tokens = try connection.prepare(
            """
            SELECT t.name, t.hash, t.scope, a.name, t.created_at, t.revoked_at
            FROM token AS t LEFT JOIN app AS a ON a.id = t.app ORDER BY t.name
            """)
        while try tokens.step() {
            rows.append(
                RegistryRow(
                    name: tokens.text(0),
                    content: .token(
                        hash: tokens.blob(1), scope: tokens.text(2), app: tokens.optionalText(3),
                        createdAt: tokens.int(4), revokedAt: tokens.optionalInt(5))))
        }
        return rows
    }

    /// Writes it in place of what has its name. What was revoked stays so.
    /// - Throws: `notFound` where its app is not there; what the database throws
    func put(on connection: Connection) throws(StorageError) {
        switch content {
        case .app(let title, let timeZone, let sessionTimeout, let allowsPlain, let createdAt):
            let isNew = try Registry.app(name, connection) == nil
            let row = try connection.prepare(
                """
                INSERT INTO app (name, title, time_zone, session_timeout_ms, allow_plain, created_at)
                VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (name) DO UPDATE SET title = excluded.title,
                    time_zone = excluded.time_zone,
                    session_timeout_ms = excluded.session_timeout_ms,
                    allow_plain = excluded.allow_plain, created_at = excluded.created_at
                """)
            try row.bind(1, name)
            try row.bind(2, title)
            try row.bind(3, timeZone)
            try row.bind(4, sessionTimeout)
            try row.bind(5, allowsPlain)
            try row.bind(6, createdAt)
            try row.run()
            try Registry.seal(.app, name, connection)
            if isNew { try beginSegments(connection) }
        case .key(let app, let profile, let algorithm, let wrapped, let createdAt, let revokedAt):
            let appID = try Registry.requiredApp(app, connection).id
            let row = try connection.prepare(
                """
                INSERT INTO key (name, app, profile, alg, wrapped, created_at, revoked_at)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (name) DO UPDATE SET app = excluded.app, profile = excluded.profile,
                    alg = excluded.alg, wrapped = excluded.wrapped,
                    created_at = excluded.created_at,
                    revoked_at = coalesce(revoked_at, excluded.revoked_at)
                """)
            try row.bind(1, name)
            try row.bind(2, appID)
            try row.bind(3, profile)
            try row.bind(4, algorithm)
            try row.bindBlob(5, wrapped)
            try row.bind(6, createdAt)
            try row.bind(7, revokedAt)
            try row.run()
            try Registry.seal(.key, name, connection)
        case .token(let hash, let scope, let app, let createdAt, let revokedAt):
            var appID: Int64?
            if let app { appID = try Registry.requiredApp(app, connection).id }
            let row = try connection.prepare(
                """
                INSERT INTO token (name, hash, scope, app, created_at, revoked_at)
                VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (name) DO UPDATE SET hash = excluded.hash, scope = excluded.scope,
                    app = excluded.app, created_at = excluded.created_at,
                    revoked_at = coalesce(revoked_at, excluded.revoked_at)
                """)
            try row.bind(1, name)
            try row.bindBlob(2, hash)
            try row.bind(3, scope)
            try row.bind(4, appID)
            try row.bind(5, createdAt)
            try row.bind(6, revokedAt)
            try row.run()
            try Registry.seal(.token, name, connection)
        }
    }

    /// An app that is new here has no batch yet: a search for its events need not go through those of others.
    private func beginSegments(_ connection: Connection) throws(StorageError) {
        try SegmentTable(connection).setLastBatch(
            try connection.integer("SELECT max(id) FROM batch") ?? 0,
            of: try Registry.requiredApp(name, connection).id)
    }
}
