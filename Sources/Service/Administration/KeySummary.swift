/// An ingest key as the commands show it.
package struct KeySummary: Codable, Sendable, Equatable {
    package let key: String
    package let app: String
    package let profile: String
    package var algorithm: String?
    /// Base64url of a symmetric secret that was made just now; never shown again.
    package var secret: String?
    /// The public half of a `jwe` key, JSON text.
    package var publicJWK: String?
    /// Milliseconds since 1970; nil while it is active, and in the answer to `key add`.
    package var createdAt: Int64?
    package var revokedAt: Int64?
    /// How many stored batches came under it, and when the last one arrived; in `key list` only.
    package var batches: Int64?
    package var lastUsedAt: Int64?

    package var members: [(String, JSONValue)] {
        var members: [(String, JSONValue)] = [
            ("key", .text(key)), ("app", .text(app)), ("profile", .text(profile)),
        ]
        if let algorithm { members.append(("alg", .text(algorithm))) }
        if let secret { members.append(("secret", .text(secret))) }
        if let publicJWK { members.append(("public_jwk", .raw(publicJWK))) }
        if let createdAt {
            members.append(("created_at", .integer(createdAt)))
            members.append(("revoked_at", revokedAt.map(JSONValue.integer) ?? .null))
        }
        if let batches {
            members.append(("batches", .integer(batches)))
            members.append(("last_used_at", lastUsedAt.map(JSONValue.integer) ?? .null))
        }
        return members
    }
}
