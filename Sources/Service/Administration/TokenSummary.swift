/// A token as the commands show it.
package struct TokenSummary: Codable, Sendable, Equatable {
    /// The token itself, in the answer to `token add` only.
    package var token: String?
    package let id: String
    package let scope: String
    package let app: String?
    package var createdAt: Int64?
    package var revokedAt: Int64?

    package var members: [(String, JSONValue)] {
        var members: [(String, JSONValue)] = token.map { [("token", .text($0))] } ?? []
        members += [
            ("id", .text(id)), ("scope", .text(scope)), ("app", app.map(JSONValue.text) ?? .null),
        ]
        if let createdAt {
            members.append(("created_at", .integer(createdAt)))
            members.append(("revoked_at", revokedAt.map(JSONValue.integer) ?? .null))
        }
        return members
    }
}
