/// What an operation did, as `--json` prints it (docs/operation.md, Commands).
package enum AdminResult: Codable, Sendable, Equatable {
    case app(AppSummary)
    case key(KeySummary)
    case token(TokenSummary)
    case backup(BackupState)

    package var members: [(String, JSONValue)] {
        switch self {
        case .app(let app): app.members
        case .key(let key): key.members
        case .token(let token): token.members
        case .backup(let state): state.summary?.members ?? []
        }
    }
}
