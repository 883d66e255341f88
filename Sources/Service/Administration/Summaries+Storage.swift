import Database
import Storage

extension AdminFailure {
    package init(_ error: StorageError) {
        self.init(ExitStatus(rawValue: error.kind.exitCode) ?? .software, error.description)
    }
}

extension AppChange {
    init(_ change: AdminOperation.AppChange) {
        self.init(
            title: change.title, timeZone: change.timeZone, sessionTimeout: change.sessionTimeout,
            allowsPlain: change.allowPlain)
    }
}

extension AppSummary {
    package init(_ app: App) {
        self.init(
            app: app.name, title: app.title, timeZone: app.timeZone,
            sessionTimeout: app.sessionTimeout, allowPlain: app.allowsPlain)
    }
}

extension KeySummary {
    package init(_ key: IngestKey, app: String) {
        self.init(
            key: key.name, app: app, profile: key.profile.name, algorithm: key.algorithm,
            createdAt: key.createdAt, revokedAt: key.revokedAt)
    }
}

extension TokenSummary {
    package init(_ token: Token, app: String?) {
        self.init(
            token: nil, id: token.name, scope: token.scope.rawValue, app: app,
            createdAt: token.createdAt, revokedAt: token.revokedAt)
    }
}
