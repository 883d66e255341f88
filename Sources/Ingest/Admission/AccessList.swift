import Events
import Sealing

/// The apps, keys and tokens that batches are judged by: one immutable copy, replaced whole when
/// one of them changes.
package struct AccessList: Sendable {
    package struct App: Sendable {
        /// Row id.
        package let id: Int64
        package let name: String
        package let allowsPlain: Bool

        package init(id: Int64, name: String, allowsPlain: Bool) {
            self.id = id
            self.name = name
            self.allowsPlain = allowsPlain
        }
    }

    package struct Key: Sendable {
        package let id: Int64
        package let name: String
        package let app: App
        package let profile: Profile
        package let isRevoked: Bool
        package let material: KeyMaterial

        package init(
            id: Int64, name: String, app: App, profile: Profile, isRevoked: Bool,
            material: KeyMaterial
        ) {
            self.id = id
            self.name = name
            self.app = app
            self.profile = profile
            self.isRevoked = isRevoked
            self.material = material
        }
    }

    package struct Grant: Sendable {
        /// Row id.
        package let id: Int64
        package let scope: TokenScope
        /// Row id of the one app that it counts for; nil for all.
        package let app: Int64?
        package let isRevoked: Bool

        package init(id: Int64, scope: TokenScope, app: Int64?, isRevoked: Bool) {
            self.id = id
            self.scope = scope
            self.app = app
            self.isRevoked = isRevoked
        }
    }

    /// Distinguishes this list from those before and after it.
    package let version: Int
    private let apps: [String: App]
    private let appsByRow: [Int64: App]
    private let keys: [String: Key]
    private let tokens: [Digest256: Grant]

    /// - Parameter tokens: by SHA-256 of the token
    package init(apps: [App], keys: [Key], tokens: [Digest256: Grant], version: Int = 0) {
        self.version = version
        self.apps = Dictionary(apps.map { ($0.name, $0) }) { first, _ in first }
        appsByRow = Dictionary(apps.map { ($0.id, $0) }) { first, _ in first }
        self.keys = Dictionary(keys.map { ($0.name, $0) }) { first, _ in first }
        self.tokens = tokens
    }

    package func app(named name: String) -> App? { apps[name] }

    /// The app of a key of profile `legacy`, revoked or not.
    package func app(ofLegacyKey name: String) -> App? {
        guard let key = keys[name], key.profile == .legacy else { return nil }
        return key.app
    }

    /// The app of the ingest token of an `Authorization` field; nil where that is none.
    package func app(ofIngestToken authorization: String?) -> App? {
        guard let hash = try? Self.hash(authorization: authorization) else { return nil }
        return (try? app(ofIngestToken: hash)) ?? nil
    }

    /// The app of the token of that SHA-256; nil where its scope is another.
    func app(ofIngestToken hash: Digest256) throws(BatchRefusal) -> App? {
        let token = try token(hash: hash)
        guard token.scope == .ingest, let id = token.app else { return nil }
        return appsByRow[id]
    }

    /// The token of an `Authorization` field, unless it is missing, unknown or revoked.
    package func token(authorization value: String?) throws(BatchRefusal) -> Grant {
        try token(hash: Self.hash(authorization: value))
    }

    /// SHA-256 of the token of an `Authorization` field.
    static func hash(authorization value: String?) throws(BatchRefusal) -> Digest256 {
        guard let value, let text = BearerToken.token(in: value) else { throw .unauthorized }
        return Hashing.sha256(Array(text.utf8).span)
    }

    /// The token of that SHA-256, unless it is unknown or revoked.
    func token(hash: Digest256) throws(BatchRefusal) -> Grant {
        guard let token = tokens[hash], !token.isRevoked else { throw .unauthorized }
        return token
    }

    /// A key of that profile and app; a foreign one is as unknown as one that does not exist.
    func key(named name: String, profile: Profile, app: App?) throws(BatchRefusal) -> Key {
        // Swift's texts are equal by meaning: the Kelvin sign would be a K. Key ids are ASCII.
        guard name.utf8.allSatisfy({ $0 < 0x80 }), let key = keys[name], key.profile == profile,
            app == nil || key.app.id == app?.id
        else {
            throw .unknownKey
        }
        if key.isRevoked { throw .revokedKey }
        return key
    }
}

/// The `Bearer` scheme of an `Authorization` field (RFC 6750 §2.1).
enum BearerToken {
    /// The one token after the scheme, nil for any other form.
    static func token(in value: String) -> Substring? {
        let words = value.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
        return words[1]
    }
}
