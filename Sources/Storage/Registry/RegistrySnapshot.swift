import Database
import Events
import Sealing

/// All apps, keys and tokens at one moment, revoked ones too. Never changes: a holder keeps
/// using it until `Registry.version` has moved on.
package final class RegistrySnapshot: Sendable {
    /// Rises with every change; 0 is the empty one.
    package let version: Int
    /// In order of their names' bytes.
    package let apps: [App]
    /// In order of their names' bytes.
    package let keys: [IngestKey]
    /// In order of their names' bytes.
    package let tokens: [AccessToken]

    private let appsByName: [TextKey: App]
    private let appsByID: [Int64: App]
    private let keysByName: [TextKey: IngestKey]
    private let tokensByHash: [Digest256: AccessToken]

    init(version: Int, apps: [App], keys: [IngestKey], tokens: [AccessToken]) {
        self.version = version
        self.apps = apps
        self.keys = keys
        self.tokens = tokens
        appsByName = Dictionary(apps.map { (TextKey($0.name), $0) }) { first, _ in first }
        appsByID = Dictionary(apps.map { ($0.id, $0) }) { first, _ in first }
        keysByName = Dictionary(keys.map { (TextKey($0.name), $0) }) { first, _ in first }
        tokensByHash = Dictionary(tokens.map { ($0.hash, $0) }) { first, _ in first }
    }

    /// Nothing, version 0.
    package static let empty = RegistrySnapshot(version: 0, apps: [], keys: [], tokens: [])

    /// The app of exactly that name.
    package func app(named name: String) -> App? { appsByName[TextKey(name)] }
    /// The app of that row.
    package func app(_ id: Int64) -> App? { appsByID[id] }
    /// The key of exactly that name, revoked ones too.
    package func key(named name: String) -> IngestKey? { keysByName[TextKey(name)] }
    /// The token of that text, revoked ones too. Looks the hash up, so that its time reveals nothing
    /// about how much of a wrong token was right.
    package func token(_ text: Span<UInt8>) -> AccessToken? {
        tokensByHash[AccessToken.hash(of: text)]
    }
}

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

    private static func loadTokens(_ connection: Connection) throws(StorageError) -> [AccessToken] {
        let rows = try connection.prepare(
            "SELECT id, name, hash, scope, app, created_at, revoked_at FROM token ORDER BY name")
        var tokens: [AccessToken] = []
        while try rows.step() {
            let name = rows.text(1)
            let hash = rows.withBlob(2) { Digest256(bytes: $0) }
            guard let hash, let scope = TokenScope(rawValue: rows.text(3)) else {
                throw .damaged(path: connection.path, found: "token \(name) makes no sense")
            }
            tokens.append(
                AccessToken(
                    id: rows.int(0), name: name, hash: hash, scope: scope, app: rows.optionalInt(4),
                    createdAt: rows.int(5), revokedAt: rows.optionalInt(6)))
        }
        return tokens
    }
}

/// Ingest keys' secrets as the database keeps them: sealed by the master key, each for its app,
/// profile and key id alone, so that a row moved to another name does not open.
package struct SecretWrapping: Sendable {
    private let wrappingKey: [UInt8]

    /// By the wrapping key that follows from the master key.
    package init(_ masterKey: MasterKey) { wrappingKey = masterKey.wrappingKey }

    func seal(_ secret: [UInt8], app: String, profile: Profile, key: String) -> [UInt8] {
        let purpose = Self.purpose(app, profile, key)
        return KeyWrap.wrap(secret.span, key: wrappingKey.span, associated: purpose.span)
    }

    /// Nil where it was not sealed for this.
    func open(_ wrapped: [UInt8], app: String, profile: Profile, key: String) -> [UInt8]? {
        let purpose = Self.purpose(app, profile, key)
        return try? KeyWrap.unwrap(wrapped.span, key: wrappingKey.span, associated: purpose.span)
    }

    /// App, profile and key id with zero bytes between: none of them can hold one.
    private static func purpose(_ app: String, _ profile: Profile, _ key: String) -> [UInt8] {
        Array([app, profile.name, key].joined(separator: "\0").utf8)
    }
}
