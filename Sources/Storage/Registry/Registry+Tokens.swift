import Database
import Events

extension Registry {
    /// Adds a token.
    /// - Parameter app: nil for all apps; a token of scope `ingest` needs one.
    /// - Returns: the row, and the text, which is kept nowhere.
    /// - Throws: `notFound` for the app, `invalid`.
    package func addToken(
        scope: TokenScope, app appName: String?
    ) throws(StorageError) -> (token: Token, text: String) {
        if scope == .ingest, appName == nil {
            throw .invalid(value: "a token of scope ingest", rule: "it needs an app")
        }
        let text = Token.makeText()
        let hash = Token.hash(of: Array(text.utf8).span)
        let name = RegistryName.make("t")
        let createdAt = now()
        let token = try change { (connection) throws(StorageError) in
            var app: Int64?
            if let appName { app = try Self.requiredApp(appName, connection).id }
            let insert = try connection.prepare(
                "INSERT INTO token (name, hash, scope, app, created_at) VALUES (?, ?, ?, ?, ?)")
            try insert.bind(1, name)
            try insert.bindBlob(2, hash.bytes)
            try insert.bind(3, scope.rawValue)
            try insert.bind(4, app)
            try insert.bind(5, createdAt)
            try insert.run()
            let id = connection.lastInsertedRow
            try Self.seal(.token, name, connection)
            return Token(
                id: id, name: name, hash: hash, scope: scope, app: app,
                createdAt: createdAt, revokedAt: nil)
        }
        return (token, text)
    }

    /// From now on the token is refused. Revoking twice changes nothing.
    /// - Parameter name: its public name, not its text.
    /// - Throws: `notFound`.
    package func revokeToken(_ name: String) throws(StorageError) -> Token {
        let moment = now()
        try change { (connection) throws(StorageError) in
            let update = try connection.prepare(
                "UPDATE token SET revoked_at = coalesce(revoked_at, ?) WHERE name = ?")
            try update.bind(1, moment)
            try update.bind(2, name)
            try update.run()
            // Whoever gave the text by mistake must not see it again in a message.
            if connection.changes == 0 { throw .notFound(.token, name: Self.harmless(name)) }
            try Self.seal(.token, name, connection)
        }
        guard let token = snapshot.tokens.first(where: { $0.name == name }) else {
            throw .notFound(.token, name: Self.harmless(name))
        }
        return token
    }

    private static func harmless(_ name: String) -> String {
        name.hasPrefix(Token.prefix) ? Token.prefix + "…" : name
    }
}
