import Database
import Events
import Sealing

extension RegistrySnapshot {
    /// Reads everything in one go.
    /// - Parameter secrets: opens the keys' secrets; nil leaves them empty.
    /// - Throws: `damaged` where a row makes no sense or a secret does not open.
    package static func load(
        from connection: Connection, version: Int, secrets: SecretWrapping?
    ) throws(StorageError) -> RegistrySnapshot {
        let apps = try loadApps(connection)
        return RegistrySnapshot(
            version: version, apps: apps,
            keys: try loadKeys(connection, apps: apps, secrets: secrets),
            tokens: try loadTokens(connection))
    }

    private static func loadApps(_ connection: Connection) throws(StorageError) -> [App] {
        let rows = try connection.prepare(
            """
            SELECT id, name, title, time_zone, session_timeout_ms, allow_plain, created_at
            FROM app ORDER BY name
            """)
        var apps: [App] = []
        while try rows.step() {
            apps.append(
                App(
                    id: rows.int(0), name: rows.text(1), title: rows.text(2),
                    timeZone: rows.text(3),
                    sessionTimeout: rows.int(4), allowsPlain: rows.int(5) != 0,
                    createdAt: rows.int(6)))
        }
        return apps
    }

    private static func loadKeys(
        _ connection: Connection, apps: [App], secrets: SecretWrapping?
    ) throws(StorageError) -> [IngestKey] {
        let rows = try connection.prepare(
            """
            SELECT key.id, key.name, app, app.name, profile, alg, wrapped, key.created_at, revoked_at
            FROM key JOIN app ON app.id = key.app ORDER BY key.name
            """)
        var keys: [IngestKey] = []
        while try rows.step() {
            let name = rows.text(1)
            guard let profile = Profile(name: rows.text(4)) else {
                throw .damaged(path: connection.path, found: "key \(name) has no known profile")
            }
            var secret: [UInt8] = []
            if let secrets, rows.isNull(8) {
                guard
                    let opened = secrets.open(
                        rows.blob(6), app: rows.text(3), profile: profile, key: name)
                else {
                    throw .damaged(
                        path: connection.path, found: "the secret of key \(name) does not open")
                }
                secret = opened
            }
            keys.append(
                IngestKey(
                    id: rows.int(0), name: name, app: rows.int(2), profile: profile,
                    algorithm: rows.optionalText(5), secret: secret, createdAt: rows.int(7),
                    revokedAt: rows.optionalInt(8)))
        }
        return keys
    }

    private static func loadTokens(_ connection: Connection) throws(StorageError) -> [Token] {
        let rows = try connection.prepare(
            "SELECT id, name, hash, scope, app, created_at, revoked_at FROM token ORDER BY name")
        var tokens: [Token] = []
        while try rows.step() {
            let name = rows.text(1)
            let hash = rows.withBlob(2) { Digest256(bytes: $0) }
            guard let hash, let scope = TokenScope(rawValue: rows.text(3)) else {
                throw .damaged(path: connection.path, found: "token \(name) makes no sense")
            }
            tokens.append(
                Token(
                    id: rows.int(0), name: name, hash: hash, scope: scope, app: rows.optionalInt(4),
                    createdAt: rows.int(5), revokedAt: rows.optionalInt(6)))
        }
        return tokens
    }
}
