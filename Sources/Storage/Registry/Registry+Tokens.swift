import Database
import Events
import Sealing

extension Registry {
    /// Adds a token.
    /// - Parameter app: nil for all apps; a token of scope `ingest` needs one.
    /// - Returns: the row, and the text, which is kept nowhere.
    /// - Throws: `notFound` for the app, `invalid`.
    package func addToken(
        scope: TokenScope, app appName: String?
    ) throws(StorageError) -> (token: AccessToken, text: String) {
        if scope == .ingest, appName == nil {
            throw .invalid(value: "a token of scope ingest", rule: "it needs an app")
        }
        let text = AccessToken.makeText()
        let hash = AccessToken.hash(of: Array(text.utf8).span)
        let name = RegistryName.make("t")
        let createdAt = now()
        let token = try change { (connection) throws(StorageError) in
            var app: Int64?
            if let appName { app = try Self.requiredApp(appName, connection).id }
            try RegistryRow(
                name: name,
                content: .token(
                    hash: hash.bytes, scope: scope.rawValue, app: appName, createdAt: createdAt,
                    revokedAt: nil)
            ).put(on: connection)
            return AccessToken(
                id: connection.lastInsertedRow, name: name, hash: hash, scope: scope, app: app,
                createdAt: createdAt, revokedAt: nil)
        }
        return (token, text)
    }

    /// From now on the token is refused. Revoking twice changes nothing.
    /// - Parameter name: its public name, not its text.
    /// - Throws: `notFound`.
    package func revokeToken(_ name: String) throws(StorageError) -> AccessToken {
        let moment = now()
        try change { (connection) throws(StorageError) in
            let update = try connection.prepare(
                "UPDATE token SET revoked_at = coalesce(revoked_at, ?) WHERE name = ?")
            try update.bind(1, moment)
            try update.bind(2, name)
            try update.run()
            // A text given by mistake must not appear in a message.
            if connection.changes == 0 { throw .notFound(.token, name: Self.harmless(name)) }
            try Self.seal(.token, name, connection)
        }
        guard let token = snapshot.tokens.first(where: { $0.name == name }) else {
            throw .notFound(.token, name: Self.harmless(name))
        }
        return token
    }

    private static func harmless(_ name: String) -> String {
        name.hasPrefix(AccessToken.prefix) ? AccessToken.prefix + "…" : name
    }
}

/// A bearer token. Only its hash is kept.
package struct AccessToken: Sendable, Equatable {
    /// What rows call it.
    package let id: Int64
    /// By which commands name it.
    package let name: String
    /// SHA-256 of the token's text, `sj_` included.
    package let hash: Digest256
    /// What it opens.
    package let scope: TokenScope
    /// Row id of its app; nil for all apps.
    package let app: Int64?
    /// Milliseconds since 1970-01-01T00:00:00Z.
    package let createdAt: Int64
    /// Since when it no longer counts.
    package let revokedAt: Int64?

    /// Whether requests that bear it are refused.
    package var isRevoked: Bool { revokedAt != nil }

    /// The prefix of every token, by which a leaked one is recognised.
    package static let prefix = "sj_"

    /// A new token's text: the prefix and 43 base64url digits of 32 random bytes.
    static func makeText() -> String {
        prefix + Base64URL.encode(RandomBytes.make(32).span)
    }

    /// By what a token is known.
    package static func hash(of text: Span<UInt8>) -> Digest256 { Hashing.sha256(text) }
}
