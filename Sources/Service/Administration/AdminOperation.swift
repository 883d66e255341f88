import Upkeep

/// What a command asks of the process that writes the database: the running server, over its control
/// socket, or the command itself under the directory's lock (docs/operation.md, Commands).
package enum AdminOperation: Codable, Sendable, Equatable {
    /// Durations in milliseconds.
    case addApp(AppChange)
    case setApp(AppChange)
    /// `material` is the text of the secret file: hex or PEM; nil makes a key.
    case addKey(app: String, profile: String, algorithm: String?, id: String?, material: String?)
    case revokeKey(id: String)
    case addToken(scope: String, app: String?)
    case revokeToken(id: String)
    /// The device by its hash, in hex: its raw id stays with the command.
    case eraseDevice(app: String, device: String)
    /// Milliseconds; `all`: also where that is everything.
    case prune(olderThan: Int64, all: Bool)
    /// Who vouches for the clock.
    case clock
    /// The operator does.
    case acceptClock
    /// Makes the engine's tables, and lays the registry into it.
    case migrateEngine
    /// What arrived from a moment on, milliseconds since 1970, counts as not handed over; nil: all.
    case forwardAgain(from: Int64?)
    /// Begins a backup in that folder, an absolute path.
    case startBackup(directory: String, withKey: Bool)
    /// How far that one is.
    case backupState(number: Int)
    /// What reads the database at this moment.
    case readers

    /// Whether it makes sense where there is no database yet, and so makes one.
    package var mayBeFirst: Bool {
        switch self {
        case .addApp, .addToken(_, app: nil), .migrateEngine: true
        default: false
        }
    }

    /// An app's settings; nil leaves one as it is, or at its default in a new app.
    package struct AppChange: Codable, Sendable, Equatable {
        package var app: String
        package var title: String?
        package var timeZone: String?
        package var sessionTimeout: Int64?
        package var allowPlain: Bool?

        package init(
            app: String, title: String? = nil, timeZone: String? = nil,
            sessionTimeout: Int64? = nil, allowPlain: Bool? = nil
        ) {
            self.app = app
            self.title = title
            self.timeZone = timeZone
            self.sessionTimeout = sessionTimeout
            self.allowPlain = allowPlain
        }
    }
}

/// What an operation did, as `--json` prints it (docs/operation.md, Commands).
package enum AdminResult: Codable, Sendable, Equatable {
    case app(AppSummary)
    case key(KeySummary)
    case token(TokenSummary)
    case erased(ErasureSummary)
    case pruned(PruneSummary)
    case clock(ClockSummary)
    case backup(BackupState)
    case engineMigrated(EngineMigrationSummary)
    case forwardedAgain
    case readers([ReaderSummary])

    package var members: [(String, JSONValue)] {
        switch self {
        case .app(let app): app.members
        case .key(let key): key.members
        case .token(let token): token.members
        case .erased(let erased): erased.members
        case .pruned(let pruned): pruned.members
        case .clock(let clock): clock.members
        case .backup(let state): state.summary?.members ?? []
        case .engineMigrated(let summary): summary.members
        case .forwardedAgain: []
        case .readers(let readers): [("readers", .array(readers.map { .object($0.members) }))]
        }
    }
}

/// What comes back over the control socket.
package enum AdminAnswer: Codable, Sendable, Equatable {
    case done(AdminResult)
    case failed(AdminFailure)
}
